import { counted } from "../../core/base/text.ts";
import type { Git } from "../../core/ports/programs.ts";
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
  const repository = await git.repositoryAt(folder);
  if (!repository) return undefined;
  const { gitFolder, elsewhere = [] } = repository;
  const isInside = (path: string): boolean => folders.some((one) => isAtOrBelow(path, one));
  if (![gitFolder, ...elsewhere].every(isInside)) return undefined;
  const answer = await git.read(repository, [...ARGS, "--", folder], signal);
  return answer.ok ? stateIn(answer.text, answer.isCut) : undefined;
}

/** Our own folder, which every run creates, isn't a change. */
const OWN = /(?:^|\/)\.autogpt\/$/;

function stateIn(status: string, isCut: boolean): string | undefined {
  const [head = "", ...lines] = status.split("\n");
  const branch = branchIn(head);
  if (branch === undefined) return undefined;
  const changed = lines.filter((line) => line !== "" && !OWN.test(line.slice(3))).length;
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
