import {
  findCalledProgram,
  getCommandName,
  listArguments,
  listEveryCommand,
  type ShellScript,
  type SimpleCommand,
  takeFindRoots,
  type Word,
} from "./reading.ts";

/** Folders that a command deletes or takes over with everything below. */
export interface Deletion {
  readonly targets: readonly Word[];
  /** The current folder counts as a target too, not only folders above it. False for `chmod -R`, which is everyday work there. */
  readonly countsHere: boolean;
}

const NOTHING: Deletion = { targets: [], countsHere: false };

/** Folders that a command would delete, overwrite or lock as a whole. */
export function findDeletion(command: SimpleCommand): Deletion {
  const args = command.words.slice(1);
  if (getCommandName(command) === "find") return findFindDeletion(args);
  const { deletes } = findCalledProgram(command);
  if (!deletes || (deletes.flag && !args.some(({ text }) => deletes.flag?.test(text)))) return NOTHING;
  const targets = args.filter(({ text }) => !text.startsWith("-"));
  if (deletes.operands === "sources")
    return { targets: targets.slice(0, -1), countsHere: targets.at(-1)?.text === "/dev/null" };
  return {
    targets: deletes.operands === "last" ? targets.slice(-1) : targets,
    countsHere: !deletes.isHarmlessHere,
  };
}

/** Targets of a `find` that deletes; a test that selects files makes it everyday work below the current folder. */
function findFindDeletion(args: readonly Word[]): Deletion {
  const deletes = args.some(({ text }) => text === "-delete" || /^(?:rm|unlink|shred|srm)$/.test(text));
  if (!deletes) return NOTHING;
  const isFiltered = args.some(({ text }) =>
    /^-(?:i?name|i?path|i?regex|size|[acm]time|[acm]min|empty|newer\w*|user|perm)$/.test(text),
  );
  return { targets: takeFindRoots(args), countsHere: !isFiltered };
}

/** git commands that can lose uncommitted work, or change what runs later. */
const LOSING = new Set(
  "clean reset checkout restore switch stash rm rebase push filter-branch gc prune update-ref config worktree submodule".split(
    " ",
  ),
);

/** True when a line openly deletes or discards work; the inside of programs is unknown. */
export function canDeleteWork(script: ShellScript): boolean {
  return listEveryCommand(script).some(isRewriting);
}

function isRewriting(command: SimpleCommand): boolean {
  const name = getCommandName(command) ?? "";
  const args = listArguments(command);
  const { removes, loses } = findCalledProgram(command);
  if (removes || loses || findDeletion(command).targets.length > 0) return true;
  if (name === "git") return args.some((arg) => LOSING.has(arg));
  const overwrites = command.redirects.some(
    ({ operator, target }) =>
      /(?<!>)>(?![>&])/.test(operator) && !/^(?:\/dev\/null|\$null)$/.test(target.text),
  );
  return (
    overwrites ||
    (/^(?:sed|perl|ruby)$/.test(name) && args.some((arg) => /^-[a-zA-Z]*i|^--in-place/.test(arg)))
  );
}
