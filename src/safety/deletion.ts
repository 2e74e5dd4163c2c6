import { nameOf, type SimpleCommand, type Word } from "./shell/reading.ts";

/** What a command deletes or takes over with all that is below. */
export interface Deletion {
  readonly targets: readonly Word[];
  /** The folder itself counts, and not only what is far above it: `chmod -R` there is everyday work. */
  readonly countsHere: boolean;
}

const NOTHING: Deletion = { targets: [], countsHere: false };

/** The whole trees that a command would delete, overwrite or lock. */
export function deletionOf(command: SimpleCommand): Deletion {
  const args = command.words.slice(1);
  const targets = args.filter(({ text }) => !text.startsWith("-"));
  const has = (pattern: RegExp): boolean => args.some(({ text }) => pattern.test(text));
  const all = { targets, countsHere: true };
  switch (nameOf(command)) {
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
      return foundAndDeleted(args);
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

/** `find` that deletes; a test that leaves some files out makes it everyday work below the folder itself. */
function foundAndDeleted(args: readonly Word[]): Deletion {
  const deletes = args.some(({ text }) => text === "-delete" || /^(?:rm|unlink|shred|srm)$/.test(text));
  if (!deletes) return NOTHING;
  const end = args.findIndex(({ text }) => /^[-!(]/.test(text));
  const isFiltered = args.some(({ text }) =>
    /^-(?:i?name|i?path|i?regex|size|[acm]time|[acm]min|empty|newer\w*|user|perm)$/.test(text),
  );
  return { targets: end === -1 ? args : args.slice(0, end), countsHere: !isFiltered };
}
