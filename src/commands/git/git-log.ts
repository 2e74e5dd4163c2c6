import { formatQuantity } from "../../core/base/text.ts";
import {
  type Command,
  createPreparedCall,
  type PrepareContext,
  type PreparedCall,
} from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { displayText } from "../../texts/display-text.ts";
import {
  type Args,
  createObjectSchema,
  createOlderNameTable,
  getNumberArgument,
  getTextArgument,
} from "../arguments.ts";
import { createFailure, createSuccess, NOTHING_FOUND } from "../outcomes.ts";
import { selectTextPage } from "../text-page.ts";
import {
  explainWithheldGit,
  findCommit,
  type GitDependencies,
  listHistoryTouches,
  locateRepository,
  REPOSITORY,
  REPOSITORY_ALIASES,
} from "./repository.ts";

const COMMITS = 20;

/** Hash, day, author, refs, subject, body. */
const FORMAT = "--format=%h %cs %an%d%n    %s%n%w(0,4,4)%-b";

/** The first line of a commit in that format; all others are indented. */
const COMMIT_LINE = /^[0-9a-f]{4,64} \d{4}-\d\d-\d\d /gm;

/** Lists commits. */
export function createGitLogCommand(parts: GitDependencies): Command {
  return {
    name: "git_log",
    aliases: ["get_git_log", "git_history"],
    category: "git",
    effect: "read",
    traits: { titles: [{ code: "GitLog" }], rank: 200, reads: "state" },
    description: "Lists the latest commits of a repository, branch, file or folder.",
    parameters: createObjectSchema({
      folder: REPOSITORY,
      filename: {
        type: "string",
        minLength: 1,
      },
      from: {
        type: "string",
        minLength: 1,
        description: "Branch, tag or commit; HEAD by default.",
      },
      count: { type: "integer", minimum: 1, maximum: 200 },
    }),
    argumentAliases: {
      ...REPOSITORY_ALIASES,
      ...createOlderNameTable({
        filename: "file path file_path",
        from: "branch ref revision commit",
        count: "limit max_count n number",
      }),
    },
    withheld: () => explainWithheldGit(parts),
    prepare: (args, preparing) => prepare(parts, args, preparing),
  };
}

async function prepare(
  parts: GitDependencies,
  args: Args,
  { signal }: PrepareContext,
): Promise<PreparedCall | Outcome> {
  const named = await locateRepository(parts, args);
  if (!("git" in named)) return named;
  const { git, repository } = named;
  const filename = getTextArgument(args, "filename");
  const place = filename === undefined ? undefined : await parts.workspace.locate(filename);
  const from = getTextArgument(args, "from");
  const commit = await findCommit(named, from ?? "HEAD", signal);
  if (typeof commit !== "string")
    return from === undefined ? createSuccess("The repository has no commits yet.", NOTHING_FOUND) : commit;
  const count = getNumberArgument(args, "count") ?? COMMITS;
  const what = `${formatQuantity(count, "commit")}${place ? ` of "${place.label}"` : ""} from ${from ?? "HEAD"}`;
  return createPreparedCall(
    "read",
    `List up to ${what} in the git repository ${repository.root}.`,
    async (running) => {
      const answer = await git.read(
        repository,
        [
          "log",
          `--max-count=${count}`,
          "--no-show-signature",
          "--no-patch",
          "--no-ext-diff",
          "--no-textconv",
          "--no-color",
          FORMAT,
          commit,
          "--",
          ...(place ? [place.path] : []),
        ],
        running.signal,
      );
      if (!answer.ok) return createFailure(answer.why);
      const { text, note } = selectTextPage(answer.text.trimEnd());
      if (text === "") return createSuccess("No commit changed it.", NOTHING_FOUND);
      const commits = answer.text.match(COMMIT_LINE)?.length ?? 0;
      return createSuccess(
        `${text}${note === undefined ? "" : `\n${CUT}`}`,
        displayText("results.commits", { count: commits }),
      );
    },
    { touches: [...listHistoryTouches(repository)] },
  );
}

const CUT = "[It is longer than this. Ask for fewer commits at a time, or begin with one further back.]";
