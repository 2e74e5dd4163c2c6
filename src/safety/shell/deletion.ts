import {
  getCommandName,
  listEveryCommand,
  type ShellScript,
  type SimpleCommand,
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
  const targets = args.filter(({ text }) => !text.startsWith("-"));
  const has = (pattern: RegExp): boolean => args.some(({ text }) => pattern.test(text));
  const all = { targets, countsHere: true };
  switch (getCommandName(command)) {
    case "rm":
    case "srm":
      return has(/^-[a-zA-Z]*[rR]|^--r/) ? all : NOTHING;
    case "remove-item":
    case "ri":
    case "rd":
    case "rmdir":
    case "del":
    case "erase":
      return has(/^-r|^\/s$/i) ? all : NOTHING;
    case "rimraf":
    case "trash":
    case "shred":
      return all;
    case "tar":
      return has(/^--remove-files$/) ? all : NOTHING;
    case "find":
      return findFindDeletion(args);
    case "chmod":
    case "chown":
    case "chgrp":
      return has(/^-[a-zA-Z]*R|^--recursive/) ? { targets, countsHere: false } : NOTHING;
    case "mv":
      return { targets: targets.slice(0, -1), countsHere: targets.at(-1)?.text === "/dev/null" };
    case "rsync":
      return has(/^--del/) ? { targets: targets.slice(-1), countsHere: true } : NOTHING;
    default:
      return NOTHING;
  }
}

/** Targets of a `find` that deletes; a test that selects files makes it everyday work below the current folder. */
function findFindDeletion(args: readonly Word[]): Deletion {
  const deletes = args.some(({ text }) => text === "-delete" || /^(?:rm|unlink|shred|srm)$/.test(text));
  if (!deletes) return NOTHING;
  const end = args.findIndex(({ text }) => /^[-!(]/.test(text));
  const isFiltered = args.some(({ text }) =>
    /^-(?:i?name|i?path|i?regex|size|[acm]time|[acm]min|empty|newer\w*|user|perm)$/.test(text),
  );
  return { targets: end === -1 ? args : args.slice(0, end), countsHere: !isFiltered };
}

/** Commands that delete, or overwrite files they didn't make. */
const REWRITERS = new Set(
  "rm rmdir unlink shred truncate mv dd trash srm rimraf remove-item ri del erase rd move-item mi clear-content kill killall pkill".split(
    " ",
  ),
);

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
  const args = command.words.slice(1).map(({ text }) => text);
  if (REWRITERS.has(name) || findDeletion(command).targets.length > 0) return true;
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
