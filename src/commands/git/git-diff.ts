import { counted } from "../../core/base/text.ts";
import {
  type Command,
  type PrepareContext,
  type PreparedCall,
  prepared,
  type Touch,
} from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Workspace } from "../../core/ports/workspace.ts";
import { displayText } from "../../texts/display-text.ts";
import { type Args, FILENAME, flag, objectSchema, olderNames, text } from "../arguments.ts";
import { done, failed } from "../outcomes.ts";
import { touchOf } from "../places.ts";
import { pageOf } from "../text-page.ts";
import {
  commitOf,
  type GitDependencies,
  gitWithheld,
  historyTouches,
  type NamedRepository,
  REPOSITORY,
  REPOSITORY_ALIASES,
  repositoryOf,
} from "./repository.ts";

/** More files must be named one by one. */
const MOST_FILES = 2000;

const PLAIN = [
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--submodule=short",
  "--ignore-submodules=dirty",
];

/** Shows changes. */
export function gitDiff(parts: GitDependencies): Command {
  return {
    name: "git_diff",
    aliases: ["get_git_diff", "show_diff"],
    category: "git",
    effect: "read",
    description: "Shows changes: uncommitted, staged, or between two commits.",
    parameters: objectSchema({
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
      ...olderNames({
        filename: "file path file_path",
        staged: "cached",
        from: "base ref commit",
        to: "target",
      }),
    },
    withheld: () => gitWithheld(parts),
    prepare: (args, preparing) => prepare(parts, args, preparing),
  };
}

async function prepare(
  parts: GitDependencies,
  args: Args,
  { signal }: PrepareContext,
): Promise<PreparedCall | Outcome> {
  const named = await repositoryOf(parts, args);
  if (!("git" in named)) return named;
  const compared = await sides(named, args, signal);
  if (!("args" in compared)) return compared;
  const filename = text(args, "filename");
  const within = filename === undefined ? named.folder : await parts.workspace.locate(filename);
  const { git, repository } = named;
  const listed = await git.read(
    repository,
    ["diff", "--name-only", "--no-renames", "-z", ...PLAIN, ...compared.args, "--", within.path],
    signal,
  );
  if (!listed.ok) return failed(listed.why);
  const names = listed.text.split("\0").filter((name) => name !== "");
  if (names.length === 0)
    return done(`Nothing has changed ${compared.what}.`, displayText("timeline.noChanges"));
  if (names.length > MOST_FILES || listed.isCut)
    return failed(
      `${counted(names.length, "file")} have changed, too many at once. Name a file or a folder.`,
    );
  const { touches, leftOut } = await allowed(parts.workspace, names, repository.root);
  const preview = `Show the changes ${compared.what}, of ${counted(touches.length, "file")} in the git repository ${repository.root}.`;
  return prepared(
    "read",
    preview,
    async (running) => {
      const paths = touches.map(({ path }) => path);
      if (paths.length === 0) return failed("All that has changed is out of bounds.");
      const answer = await git.read(
        repository,
        ["diff", "--stat=120", "--patch", ...PLAIN, ...compared.args, "--", ...paths],
        running.signal,
      );
      if (!answer.ok) return failed(answer.why);
      const page = pageOf(answer.text);
      const note =
        page.note === undefined ? "" : "[It is longer than this. Name a file or a folder to see the rest.]";
      const missing = leftOut > 0 ? `[${counted(leftOut, "file")} out of bounds left out.]` : "";
      return done(
        [page.text, note, missing].filter((line) => line !== "").join("\n"),
        displayText("timeline.changes", { count: paths.length }),
      );
    },
    { touches: [...historyTouches(repository), ...touches] },
  );
}

/** The two sides to compare, as git's arguments and in words. */
async function sides(
  named: NamedRepository,
  args: Args,
  signal: AbortSignal,
): Promise<{ readonly args: readonly string[]; readonly what: string } | Outcome> {
  const [from, to, staged] = [text(args, "from"), text(args, "to"), flag(args, "staged")];
  if (staged && to !== undefined) return failed('Leave out "to" for what is staged.');
  const older = await commitOf(named, from ?? "HEAD", signal);
  const isNew = typeof older !== "string" && from === undefined;
  if (typeof older !== "string" && !isNew) return older;
  const newer = to === undefined ? undefined : await commitOf(named, to, signal);
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
async function allowed(
  workspace: Workspace,
  names: readonly string[],
  root: string,
): Promise<{ readonly touches: readonly Touch[]; readonly leftOut: number }> {
  const touches: Touch[] = [];
  for (const name of names) {
    const place = await workspace.locate(`${root}/${name}`).catch(() => undefined);
    // git shows a link's target path, not the content there.
    if (place?.link !== undefined) touches.push({ path: `${root}/${name}`, how: "read" });
    else if (place) touches.push(touchOf(place, "read"));
  }
  return { touches, leftOut: names.length - touches.length };
}
