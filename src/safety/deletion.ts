import { nameOf, type SimpleCommand, UNKNOWN, type Word } from "./shell/reading.ts";

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
    case "trash":
      return has(/^-[a-zA-Z]*[rR]|^--r/) ? all : NOTHING;
    case "remove-item":
    case "ri":
    case "rd":
    case "rmdir":
    case "del":
    case "erase":
      return has(/^-r|^\/s$/i) ? all : NOTHING;
    case "rimraf":
    case "shred":
      return all;
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

/** Where a target leads: the root, a home, a system folder, the workspace or what holds it; the folder the command is in; or nobody knows. */
export type Reach = "root" | "here" | "unknown" | "elsewhere";

const SYSTEM_FOLDER =
  /^\/(?:(?:bin|boot|dev|etc|home|lib\w*|opt|proc|root|run|sbin|srv|sys|usr|var|mnt|media|users|applications|system|library|volumes|private|home\/[^/]+|users\/[^/]+))?$/i;
const WINDOWS_FOLDER =
  /^[a-z]:[\\/]*(?:windows|users|program files(?: \(x86\))?|programdata|users[\\/]+[^\\/]+)?[\\/]*\*?$/i;
const HOMES = new Set([
  "HOME",
  "USERPROFILE",
  "env:USERPROFILE",
  "env:HOME",
  "env:SystemDrive",
  "env:SystemRoot",
  "HOMEDRIVE",
  "HOMEPATH",
]);
const HERE = new Set(["PWD", "OLDPWD", "env:PWD"]);
/** Nothing, or all that is in the folder so far. */
const EVERYTHING = /^(?:[\\/]+\.?)*(?:[\\/]*(?:\*|\.\*|\.\[[^\]]*\]\*|\.\?\?\*|\{.{0,40}\}))*[\\/]*$/;

/** Where a word leads as the target of a deletion. */
export function reachOf(word: Word, folders: readonly string[]): Reach {
  const { text, isHome, variables } = word;
  if (isHome) return EVERYTHING.test(text.replace(/^~[\w.-]*/, "").slice(0, 100)) ? "root" : "elsewhere";
  if (text.startsWith(UNKNOWN)) return unknownReach(variables[0], text.slice(1, 100));
  if (text.includes(UNKNOWN)) return "elsewhere";
  if (WINDOWS_FOLDER.test(text)) return "root";
  if (word.isPattern && /^\/[^/]*[*?[]/.test(text)) return "root";
  const path = withoutDots(text.replace(/[\\/]+(?:\*|\.\*|\.\?\?\*|\.\[[^\]]*\]\*)$/, (end) => end[0] ?? ""));
  if (path.startsWith("/")) return isAbove(path, folders) ? "root" : "elsewhere";
  if (/^\.\.(?:\/\.\.)*$/.test(path)) return "root";
  const isHere = path === "" || (word.isPattern && EVERYTHING.test(text.slice(0, 100)));
  return isHere && text !== "" ? "here" : "elsewhere";
}

function unknownReach(variable: string | undefined, rest: string): Reach {
  const isAll = EVERYTHING.test(rest);
  if (variable !== undefined && HOMES.has(variable)) return isAll ? "root" : "elsewhere";
  if (variable !== undefined && HERE.has(variable)) return isAll ? "here" : "elsewhere";
  return "unknown";
}

function isAbove(path: string, folders: readonly string[]): boolean {
  return (
    SYSTEM_FOLDER.test(path) || folders.some((folder) => folder === path || folder.startsWith(`${path}/`))
  );
}

/** A path with `.`, `..` and doubled slashes worked out; a relative one may begin with `..`. */
function withoutDots(path: string): string {
  const isAbsolute = path.startsWith("/");
  const names: string[] = [];
  for (const name of path.split(/[\\/]+/)) {
    if (name === ".." && names.length > 0 && names.at(-1) !== "..") names.pop();
    else if (name !== "" && name !== "." && !(name === ".." && isAbsolute)) names.push(name);
  }
  return (isAbsolute ? "/" : "") + names.join("/");
}
