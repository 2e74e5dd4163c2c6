import { formatQuantity } from "../../core/base/text.ts";
import {
  type Command,
  createPreparedCall,
  type PrepareContext,
  type PreparedCall,
  type Touch,
} from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Workspace } from "../../core/ports/workspace.ts";
import { displayText } from "../../texts/display-text.ts";
import {
  type Args,
  createObjectSchema,
  createOlderNameTable,
  FILENAME,
  getFlagArgument,
  getTextArgument,
} from "../arguments.ts";
import { createFailure, createSuccess } from "../outcomes.ts";
import { createTouch } from "../places.ts";
import { selectTextPage } from "../text-page.ts";
import {
  explainWithheldGit,
  findCommit,
  type GitDependencies,
  listHistoryTouches,
  locateRepository,
  type NamedRepository,
  REPOSITORY,
  REPOSITORY_ALIASES,
} from "./repository.ts";

/** More files must be named one by one. */
const MOST_FILES = 2000;

const PLAIN = ["--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", "--ignore-submodules=dirty"];

/** Shows changes. */
export function createGitDiffCommand(parts: GitDependencies): Command {
  return {
    name: "git_diff",
    aliases: ["get_git_diff", "show_diff"],
    category: "git",
    effect: "read",
    traits: {
      titles: [{ code: "GitFileDiff", file: "filename" }, { code: "GitDiff" }],
      rank: 50,
      reads: "state",
    },
    description: "Shows changes: uncommitted, staged, or between two commits.",
    parameters: createObjectSchema({
      folder: REPOSITORY,
      filename: FILENAME,
      staged: { type: "boolean" },
      from: {
        type: "string",
        minLength: 1,
        description: "Older commit, branch or tag; HEAD by default.",
      },
      to: {
        type: "string",
        minLength: 1,
        description: "Newer one; the files by default.",
      },
    }),
    argumentAliases: {
      ...REPOSITORY_ALIASES,
      ...createOlderNameTable({
        filename: "file path file_path",
        staged: "cached",
        from: "base ref commit",
        to: "target",
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
  const compared = await determineDiffSides(named, args, signal);
  if (!("args" in compared)) return compared;
  const filename = getTextArgument(args, "filename");
  const within = filename === undefined ? named.folder : await parts.workspace.locate(filename);
  const { git, repository } = named;
  const listed = await git.read(
    repository,
    ["diff", "--name-only", "--no-renames", "-z", ...PLAIN, ...compared.args, "--", within.path],
    signal,
  );
  if (!listed.ok) return createFailure(listed.why);
  const names = listed.text.split("\0").filter((name) => name !== "");
  if (names.length === 0)
    return createSuccess(`Nothing has changed ${compared.what}.`, displayText("timeline.noChanges"));
  if (names.length > MOST_FILES || listed.isCut)
    return createFailure(
      `${formatQuantity(names.length, "file")} have changed, too many at once. Name a file or a folder.`,
    );
  const { touches, leftOut } = await selectReadableFiles(parts.workspace, names, repository.root);
  const preview = `Show the changes ${compared.what}, of ${formatQuantity(touches.length, "file")} in the git repository ${repository.root}.`;
  return createPreparedCall(
    "read",
    preview,
    async (running) => {
      const paths = touches.map(({ path }) => path);
      if (paths.length === 0) return createFailure("All that has changed is out of bounds.");
      const answer = await git.read(
        repository,
        ["diff", "--stat=120", "--patch", ...PLAIN, ...compared.args, "--", ...paths],
        running.signal,
      );
      if (!answer.ok) return createFailure(answer.why);
      const page = selectTextPage(answer.text);
      const note = page.note === undefined ? "" : "[It is longer than this. Name a file or a folder to see the rest.]";
      const missing = leftOut > 0 ? `[${formatQuantity(leftOut, "file")} out of bounds left out.]` : "";
      return createSuccess(
        [page.text, note, missing].filter((line) => line !== "").join("\n"),
        displayText("timeline.changes", { count: paths.length }),
      );
    },
    { touches: [...listHistoryTouches(repository), ...touches] },
  );
}

/** The two sides to compare, as git's arguments and in words. */
async function determineDiffSides(
  named: NamedRepository,
  args: Args,
  signal: AbortSignal,
): Promise<{ readonly args: readonly string[]; readonly what: string } | Outcome> {
  const [from, to, staged] = [
    getTextArgument(args, "from"),
    getTextArgument(args, "to"),
    getFlagArgument(args, "staged"),
  ];
  if (staged && to !== undefined) return createFailure('Leave out "to" for what is staged.');
  const older = await findCommit(named, from ?? "HEAD", signal);
  const isNew = typeof older !== "string" && from === undefined;
  if (typeof older !== "string" && !isNew) return older;
  const newer = to === undefined ? undefined : await findCommit(named, to, signal);
  if (newer !== undefined && typeof newer !== "string") return newer;
  const since = isNew ? "and was staged" : `since ${from ?? "the last commit"}`;
  if (staged || isNew)
    return {
      args: ["--cached", ...(typeof older === "string" ? [older] : [])],
      what: `${since}${staged && !isNew ? ", as it is staged" : ""}`,
    };
  const commits = [older, ...(newer === undefined ? [] : [newer])].filter((hash) => typeof hash === "string");
  return { args: commits, what: to === undefined ? since : `between ${from ?? "HEAD"} and ${to}` };
}

/** The files that the agent may read, as touches for the policy. */
async function selectReadableFiles(
  workspace: Workspace,
  names: readonly string[],
  root: string,
): Promise<{ readonly touches: readonly Touch[]; readonly leftOut: number }> {
  const touches: Touch[] = [];
  for (const name of names) {
    const place = await workspace.locate(`${root}/${name}`).catch(() => undefined);
    // git shows a link's target path, not the content there.
    if (place?.link !== undefined) touches.push({ path: `${root}/${name}`, how: "read" });
    else if (place) touches.push(createTouch(place, "read"));
  }
  return { touches, leftOut: names.length - touches.length };
}
