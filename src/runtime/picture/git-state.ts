import { formatQuantity } from "../../core/base/text.ts";
import type { Git, GitAnswer } from "../../core/ports/programs.ts";
import { isAtOrBelow } from "../../disk/below.ts";
import { formatShownName } from "./shown-name.ts";

const ARGS = [
  "status",
  "--porcelain=v1",
  "--branch",
  "--untracked-files=normal",
  "--ignore-submodules=dirty",
  "--no-renames",
];

/** Branch and state of the repository around a folder. Undefined without one, or if its history lies outside the folders. */
export async function readGitState(
  git: Git,
  folder: string,
  folders: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const answer = await readStatus(git, folder, folders, signal);
  return answer?.ok ? describeState(answer.text, answer.isCut) : undefined;
}

const MAX_CHANGES = 100;

/** Branch and changed files of that repository, one per line with the letters of `git status`. */
export async function readGitChanges(
  git: Git,
  folder: string,
  folders: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const answer = await readStatus(git, folder, folders, signal);
  const state = answer?.ok ? describeState(answer.text, answer.isCut) : undefined;
  if (!answer?.ok || state === undefined) return undefined;
  const changes = parseChanges(answer.text);
  const shown = changes.slice(0, MAX_CHANGES).map((line) => `${line.slice(0, 3)}${formatShownName(line.slice(3))}`);
  const more = changes.length > MAX_CHANGES ? [`[${changes.length - MAX_CHANGES} more]`] : [];
  return [state, ...shown, ...more].join("\n");
}

async function readStatus(
  git: Git,
  folder: string,
  folders: readonly string[],
  signal: AbortSignal,
): Promise<GitAnswer | undefined> {
  const repository = await git.findRepository(folder);
  if (!repository) return undefined;
  const { gitFolder, elsewhere = [] } = repository;
  const isInside = (path: string): boolean => folders.some((one) => isAtOrBelow(path, one));
  if (![gitFolder, ...elsewhere].every(isInside)) return undefined;
  return git.read(repository, [...ARGS, "--", folder], signal);
}

/** Our own folder, which every run creates, doesn't count as a change. */
const OWN = /(?:^|\/)\.autogpt\/$/;

function parseChanges(status: string): readonly string[] {
  const [, ...lines] = status.split("\n");
  return lines.filter((line) => line !== "" && !OWN.test(line.slice(3)));
}

function describeState(status: string, isCut: boolean): string | undefined {
  const [head = ""] = status.split("\n", 1);
  const branch = parseBranch(head);
  if (branch === undefined) return undefined;
  const changed = parseChanges(status).length;
  const state = changed === 0 ? "clean" : `${isCut ? "at least " : ""}${formatQuantity(changed, "file")} changed`;
  return `${branch}, ${state}`;
}

function parseBranch(head: string): string | undefined {
  const named = /^## (?:No commits yet on |Initial commit on )?(.+?)(?:\.\.\.\S+(?: \[.*\])?)?$/.exec(head)?.[1];
  if (named === undefined) return undefined;
  return named === "HEAD (no branch)" ? "no branch (detached HEAD)" : `branch ${formatShownName(named)}`;
}
