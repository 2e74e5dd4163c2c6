import { getPathKey, isWindowsPath, type Platform, resolvePathFrom } from "../paths/paths.ts";
import { UNKNOWN, type Word } from "./reading.ts";

/**
 * Where a target leads. "root": the root, a home, a system folder, the workspace or a folder above it. "here": the current folder.
 */
export type TargetReach = "root" | "here" | "unknown" | "elsewhere";

/** The workspace around a line. */
export interface LineGround {
  /** Real paths of the workspace folders. */
  readonly folders: readonly string[];
  readonly platform: Platform;
  /** Folders in which the line may start: the one of its call, or else any workspace folder. */
  readonly starts: readonly string[];
}

/** The folder in which a command resolves relative paths. */
export interface CwdState extends LineGround {
  /** By then, the line has changed the folder in an unknown way. */
  readonly hasMoved: boolean;
}

const SYSTEM_FOLDER =
  /^\/(?:(?:bin|boot|dev|etc|home|lib\w*|opt|proc|root|run|sbin|srv|sys|usr|var|mnt|media|users|applications|system|library|volumes|private|home\/[^/]+|users\/[^/]+))?$/i;
const WINDOWS_FOLDER =
  /^[a-z]:[\\/]*(?:windows|users|program files(?: \(x86\))?|programdata|users[\\/]+[^\\/]+)?[\\/]*\*?$/i;
export const HOMES: ReadonlySet<string> = new Set(
  "HOME USERPROFILE env:USERPROFILE env:HOME env:SystemDrive env:SystemRoot HOMEDRIVE HOMEPATH".split(" "),
);
const HERE = new Set(["PWD", "OLDPWD", "env:PWD"]);
/** Matches a path that means everything in the folder before it. */
const EVERYTHING = /^(?:[\\/]+\.?)*(?:[\\/]*(?:\?{0,4}\*+|\.\*|\.?\[[^\]]{0,20}\]\*|\.\?\?\*|\{.{0,40}\}))*[\\/]*$/;
const LAST_STARS = /[\\/]+(?:\?{0,4}\*+|\.\*|\.\?\?\*|\.?\[[^\]]{0,20}\]\*)$/;

/** Where a word leads as the target of a deletion; for a word with braces, the farthest of its expansions. */
export function determineReach(word: Word, standing: CwdState): TargetReach {
  if (!word.isBraced) return reachOfOne(word, standing);
  const texts = expandBraces(word.text.slice(0, 200));
  if (texts.length === 0) return "unknown";
  const reaches = texts.map((text) => reachOfOne({ ...word, text, isHome: text.startsWith("~") }, standing));
  return FARTHEST.find((reach) => reaches.includes(reach)) ?? "elsewhere";
}

const FARTHEST: readonly TargetReach[] = ["root", "here", "unknown"];

function reachOfOne(word: Word, standing: CwdState): TargetReach {
  const { text, isHome, variables } = word;
  if (isHome) return isClimbingOrAll(text.replace(/^~[\w.-]*/, "")) ? "root" : "elsewhere";
  if (text.startsWith(UNKNOWN)) return determineUnknownReach(variables[0], text.slice(1, 200));
  if (text.includes(UNKNOWN)) return determineReachIfEmpty(word, standing);
  if (WINDOWS_FOLDER.test(text)) return "root";
  if (word.isPattern && /^\/[^/]*[*?[]/.test(text)) return "root";
  const path = resolveDots(text.replace(LAST_STARS, (end) => end[0] ?? ""));
  if (/^(?:\/|[a-z]:)/i.test(path)) return isAbove(path, standing.folders) ? "root" : "elsewhere";
  if (path.startsWith("..")) return determineClimbReach(path, standing);
  const isHere = path === "" || (word.isPattern && EVERYTHING.test(text.slice(0, 100)));
  return isHere && text !== "" ? "here" : "elsewhere";
}

/** An unknown part may be empty. Then the rest mustn't lead far. */
function determineReachIfEmpty(word: Word, standing: CwdState): TargetReach {
  const reach = reachOfOne({ ...word, text: word.text.replaceAll(UNKNOWN, "") }, standing);
  return reach === "elsewhere" ? "elsewhere" : "unknown";
}

function determineUnknownReach(variable: string | undefined, rest: string): TargetReach {
  const climbing = resolveDots(rest.replace(/^[\\/]+/, "")).startsWith("..");
  if (variable !== undefined && HOMES.has(variable)) return isClimbingOrAll(rest) ? "root" : "elsewhere";
  if (variable === undefined || !HERE.has(variable)) return "unknown";
  if (climbing) return "root";
  return isAll(rest) ? "here" : "elsewhere";
}

/** `..` leads above the folder in which the line starts, but the path may lead down again into the workspace itself. */
function determineClimbReach(path: string, { folders, starts, hasMoved }: CwdState): TargetReach {
  if (/^\.\.(?:\/\.\.)*$/.test(path)) return "root";
  if (hasMoved) return "unknown";
  return starts.some((base) => isAbove(resolveDots(`${base}/${path}`), folders)) ? "root" : "elsewhere";
}

function isClimbingOrAll(rest: string): boolean {
  return isAll(rest) || resolveDots(rest.slice(0, 200).replace(/^[\\/]+/, "")).startsWith("..");
}

function isAll(rest: string): boolean {
  return EVERYTHING.test(rest.slice(0, 100)) || resolveDots(rest.slice(0, 200).replace(/^[\\/]+/, "")) === "";
}

function isAbove(path: string, folders: readonly string[]): boolean {
  const key = getPathKey(path);
  return SYSTEM_FOLDER.test(path) || folders.some((folder) => `${getPathKey(folder)}/`.startsWith(`${key}/`));
}

/** The absolute path of a word, relative to a folder; undefined if it isn't clearly a path that leaves the folder. */
export function findLeavingPath({ text }: Pick<Word, "text">, folder: string): string | undefined {
  const plain = text.split(UNKNOWN)[0] ?? "";
  if (/^[a-z]:[\\/]/i.test(plain)) return plain;
  if (isWindowsPath(folder) && /^(?:[\\/]|[a-z]:)/i.test(plain)) return resolvePathFrom(folder, plain);
  if (plain.startsWith("/")) return resolveDots(plain);
  const below = resolveDots(plain);
  return below.startsWith("..") ? resolveDots(`${folder}/${below}`) : undefined;
}

/** A path with `.`, `..` and double slashes resolved; a relative one may start with `..`. */
export function resolveDots(path: string): string {
  const isAbsolute = path.startsWith("/");
  const names: string[] = [];
  for (const name of path.split(/[\\/]+/)) {
    if (name === ".." && names.length > 0 && names.at(-1) !== "..") names.pop();
    else if (name !== "" && name !== "." && !(name === ".." && isAbsolute)) names.push(name);
  }
  return (isAbsolute ? "/" : "") + names.join("/");
}

const MOST_WORDS = 64;
const RANGE = /\{[^{},]*\.\.[^{},]*\}/;

/** All expansions of a word's braces with commas; empty when there are ranges in them or too many expansions. */
export function expandBraces(text: string): readonly string[] {
  let words = [text];
  for (let round = 0; round < 4; round++) {
    const next = words.flatMap((word) => {
      const [whole, before = "", inside = "", after = ""] = /^(.*?)\{([^{}]*)\}(.*)$/s.exec(word) ?? [];
      return whole === undefined ? [word] : inside.split(",").map((one) => before + one + after);
    });
    if (next.length > MOST_WORDS || words.some((word) => RANGE.test(word))) return [];
    words = next;
  }
  return words.some((word) => /[{}]/.test(word)) ? [] : words;
}
