import { counted } from "../../core/base/text.ts";
import type { Git, GitAnswer } from "../../core/ports/programs.ts";
import { isAtOrBelow } from "../../node/files/real-path.ts";
import { shownName } from "./shown-name.ts";

const ARGS = [
  ...["status", "--porcelain=v1", "--branch", "--untracked-files=normal", "--ignore-submodules=dirty"],
  "--no-renames",
];

/** Branch and state of the repository around a folder. Undefined without one, or if its history lies outside the folders. */
export async function gitState(
  git: Git,
  folder: string,
  folders: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const answer = await statusOf(git, folder, folders, signal);
  return answer?.ok ? stateIn(answer.text, answer.isCut) : undefined;
}

const MAX_CHANGES = 100;

/** Branch and changed files of that repository, one per line with the letters of `git status`. */
export async function gitChanges(
  git: Git,
  folder: string,
  folders: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const answer = await statusOf(git, folder, folders, signal);
  const state = answer?.ok ? stateIn(answer.text, answer.isCut) : undefined;
  if (!answer?.ok || state === undefined) return undefined;
  const changes = changesIn(answer.text);
  const shown = changes.slice(0, MAX_CHANGES).map((line) => `${line.slice(0, 3)}${shownName(line.slice(3))}`);
  const more = changes.length > MAX_CHANGES ? [`[${changes.length - MAX_CHANGES} more]`] : [];
  return [state, ...shown, ...more].join("\n");
}

async function statusOf(
  git: Git,
  folder: string,
  folders: readonly string[],
  signal: AbortSignal,
): Promise<GitAnswer | undefined> {
  const repository = await git.repositoryAt(folder);
  if (!repository) return undefined;
  const { gitFolder, elsewhere = [] } = repository;
  const isInside = (path: string): boolean => folders.some((one) => isAtOrBelow(path, one));
  if (![gitFolder, ...elsewhere].every(isInside)) return undefined;
  return git.read(repository, [...ARGS, "--", folder], signal);
}

/** Our own folder, which every run creates, isn't a change. */
const OWN = /(?:^|\/)\.autogpt\/$/;

function changesIn(status: string): readonly string[] {
  const [, ...lines] = status.split("\n");
  return lines.filter((line) => line !== "" && !OWN.test(line.slice(3)));
}

function stateIn(status: string, isCut: boolean): string | undefined {
  const [head = ""] = status.split("\n", 1);
  const branch = branchIn(head);
  if (branch === undefined) return undefined;
  const changed = changesIn(status).length;
  const state = changed === 0 ? "clean" : `${isCut ? "at least " : ""}${counted(changed, "file")} changed`;
  return `${branch}, ${state}`;
}

function branchIn(head: string): string | undefined {
  const named = /^## (?:No commits yet on |Initial commit on )?(.+?)(?:\.\.\.\S+(?: \[.*\])?)?$/.exec(
    head,
  )?.[1];
  if (named === undefined) return undefined;
  return named === "HEAD (no branch)" ? "no branch (detached HEAD)" : `branch ${shownName(named)}`;
}
