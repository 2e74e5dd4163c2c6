import { join } from "node:path";
import type { Ignore } from "ignore";
import ignore from "ignore";
import { unifyForms } from "../../core/base/text.ts";
import { linkedText } from "../../plain-file.ts";
import { hasCode } from "./file-errors.ts";
import { linkTarget } from "./real-path.ts";

/** Why a path is ignored: git ignores it, or the user excludes the agent from it. */
export type Ignored = "git" | "agent";

/** Ignored paths below a workspace folder. Paths are relative to it, with `/`; folders end with `/`. */
export interface IgnoreRules {
  /** Whether a rule names the path itself; its parents aren't checked. */
  named(path: string): Promise<Ignored | undefined>;
  /** Reads the rules for the entries of a folder (`""` or with a final `/`), and answers like `named` without a wait. */
  below(folder: string): Promise<(path: string) => Ignored | undefined>;
  /** Whether the path or a folder above it is ignored. */
  ignored(path: string): Promise<Ignored | undefined>;
  /** Same as `ignored` for a path that may be a file or a folder. */
  either(path: string): Promise<Ignored | undefined>;
  /** Whether the user excludes the agent from the path, as a file or a folder, or from a folder above it. */
  outOfBounds(path: string): Promise<boolean>;
  /** Whether anything but git's rules of `known` files counts in a folder, which ends with `/`. */
  limitsMore(folder: string, known?: ReadonlySet<string>): Promise<boolean>;
}

/** The file with git's rules for a folder. */
export const GIT_IGNORE_FILE = ".gitignore";

const FILES: Readonly<Record<Ignored, string>> = { agent: ".autogptignore", git: GIT_IGNORE_FILE };

/** The text of an ignore file by its path relative to the root; undefined if there is none. Throws if it can't be read. */
export type IgnoreFileReader = (file: string) => Promise<string | undefined>;

/** The rules of all `.gitignore` and `.autogptignore` files in a folder and below it. Each is read once. */
export function ignoreRules(root: string, readFile: IgnoreFileReader = readerOf(root)): IgnoreRules {
  const read = new Map<string, Promise<FileRules | undefined>>();
  const rulesIn = (file: string): Promise<FileRules | undefined> => {
    const known = read.get(file) ?? rulesInFile(file, readFile);
    read.set(file, known);
    return known;
  };
  const rulesAbove = async (path: string, by: Ignored): Promise<readonly FolderRules[]> => {
    const found: FolderRules[] = [];
    for (const folder of foldersAbove(path).reverse()) {
      const rules = await rulesIn(`${folder}${FILES[by]}`);
      if (rules) found.push({ start: folder.length, rules });
    }
    return found;
  };
  const verdict = async (path: string, by: Ignored): Promise<boolean> =>
    isIgnoredBy(await rulesAbove(path, by), path);
  const below = async (folder: string) => {
    const agent = await rulesAbove(`${folder}x`, "agent");
    const git = await rulesAbove(`${folder}x`, "git");
    return (path: string): Ignored | undefined => {
      if (isIgnoredBy(agent, path)) return "agent";
      return isIgnoredBy(git, path) ? "git" : undefined;
    };
  };
  const named = async (path: string): Promise<Ignored | undefined> => {
    if (await verdict(path, "agent")) return "agent";
    return (await verdict(path, "git")) ? "git" : undefined;
  };
  const ignored = async (path: string): Promise<Ignored | undefined> => {
    if (path === "") return undefined;
    let found: Ignored | undefined;
    for (const above of [...foldersAbove(path).slice(1), path]) {
      const here = await named(above);
      if (here === "agent") return here;
      found ??= here;
    }
    return found;
  };
  const outOfBounds = async (path: string): Promise<boolean> => {
    for (const above of [...foldersAbove(path).slice(1), path, `${path}/`])
      if (path !== "" && (await verdict(above, "agent"))) return true;
    return false;
  };
  const either = async (path: string): Promise<Ignored | undefined> => {
    if (path !== "" && (await outOfBounds(path))) return "agent";
    return (await ignored(path)) ?? (path === "" ? undefined : ignored(`${path}/`));
  };
  const limitsMore = async (folder: string, known: ReadonlySet<string> = new Set()): Promise<boolean> => {
    const git = await rulesAbove(`${folder}x`, "git");
    const isKnown = ({ start }: FolderRules) => known.has(`${folder.slice(0, start)}${FILES.git}`);
    return !git.every(isKnown) || (await rulesAbove(`${folder}x`, "agent")).length > 0;
  };
  return { named, below, ignored, either, outOfBounds, limitsMore };
}

type FileRules = Pick<Ignore, "test">;

/** The rules of one folder; `start` is the length of its path. */
interface FolderRules {
  readonly start: number;
  readonly rules: FileRules;
}

/** The nearest folder that says anything decides. */
function isIgnoredBy(nearestFirst: readonly FolderRules[], path: string): boolean {
  for (const { start, rules } of nearestFirst) {
    const { ignored, unignored } = rules.test(path.slice(start));
    if (ignored || unignored) return ignored;
  }
  return false;
}

/** The ignore files that may name a path, relative to the root. */
export function ignoreFilesAbove(path: string): readonly string[] {
  return foldersAbove(path).flatMap((folder) => [`${folder}${FILES.agent}`, `${folder}${FILES.git}`]);
}

/** The folders above a path, from the root (`""`) down, each with its `/`. */
function foldersAbove(path: string): string[] {
  const names = path.replace(/\/$/, "").split("/").slice(0, -1);
  return ["", ...names.map((_, index) => `${names.slice(0, index + 1).join("/")}/`)];
}

/** A name that the user excludes is so in every Unicode form. */
async function rulesInFile(file: string, read: IgnoreFileReader): Promise<FileRules | undefined> {
  const isGit = file.endsWith(FILES.git);
  const text = await read(file).catch(() => (isGit ? undefined : EVERYTHING));
  if (text === undefined) return undefined;
  if (isGit) return ignore().add(boundedPatterns(text));
  const rules = ignore().add(boundedPatterns(unifyForms(text)));
  return { test: (path) => rules.test(unifyForms(path)) };
}

function readerOf(root: string): IgnoreFileReader {
  return (file) =>
    textOf(join(root, file)).catch((error: unknown) => {
      if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
      throw error;
    });
}

/** Links are followed. A dangling one is an unreadable file, not a missing one. */
async function textOf(path: string): Promise<string> {
  return linkedText(path, MOST_BYTES).catch(async (error: unknown) => {
    throw hasCode(error, "ENOENT") && (await linkTarget(path)) !== undefined ? new Error(path) : error;
  });
}

/** Git's patterns of some ignore files as one text for their root, and the files that it has. `most` limits the patterns. */
export async function gitPatterns(
  root: string,
  files: readonly string[],
  most = Number.POSITIVE_INFINITY,
): Promise<{ readonly text: string; readonly from: ReadonlySet<string> }> {
  const read = readerOf(root);
  const all: string[] = [];
  const from = new Set<string>();
  // The last pattern that matches decides, so the nearest folder comes last.
  for (const file of files.toSorted((one, other) => one.split("/").length - other.split("/").length)) {
    const folder = file.slice(0, -GIT_IGNORE_FILE.length);
    const text = /[\r\n]/.test(folder) ? undefined : await read(file).catch(() => undefined);
    const lines = text === undefined ? [] : boundedPatterns(text).split("\n");
    const patterns = lines.filter((line) => !/^(?:#|!?\/?\s*$)/.test(line));
    if (text === undefined || all.length + patterns.length > most) continue;
    from.add(file);
    all.push(...patterns.map((pattern) => patternBelow(folder, pattern)));
  }
  return { text: all.map((pattern) => `${pattern}\n`).join(""), from };
}

/** A pattern of a folder's ignore file as it is written in the file of the root. */
function patternBelow(folder: string, pattern: string): string {
  if (folder === "") return pattern;
  const [not, body] = pattern.startsWith("!") ? ["!", pattern.slice(1)] : ["", pattern];
  const above = `/${folder.replace(/[\\*?[\]{}]/g, "\\$&")}`;
  return `${not}${above}${/\/./.test(body) ? body.replace(/^\//, "") : `**/${body}`}`;
}

/** The assumed content of an unreadable file: the user wanted to exclude something unknown. */
const EVERYTHING = "*\n";

/** A pattern with more wildcards in one name could take very long to match. */
const MOST_STARS = 3;
const LONGEST_PATTERN = 500;
const LONGEST_FILE = 256 * 1024;
/** A larger file can't be read. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * The patterns of an ignore file, limited to quick ones. A slow one is cut after its last quick wildcard, so that it
 * ignores more, never less. A slow one that un-ignores is dropped.
 */
export function boundedPatterns(text: string): string {
  return text
    .slice(0, LONGEST_FILE)
    .split(/\r?\n/)
    .map((line) => (isQuick(line) ? line : shortenedPattern(line)))
    .join("\n");
}

function isQuick(line: string): boolean {
  return line.length <= LONGEST_PATTERN && line.split("/").every((name) => wildcardCount(name) <= MOST_STARS);
}

function shortenedPattern(line: string): string {
  if (line.startsWith("!")) return "";
  const names = line.slice(0, LONGEST_PATTERN).split("/");
  const slow = names.findIndex((name) => wildcardCount(name) > MOST_STARS);
  if (slow === -1) return `${names.slice(0, -1).join("/")}/*`;
  const pieces = (names[slow] ?? "").split(/\*+/).slice(0, MOST_STARS);
  return [...names.slice(0, slow), `${pieces.join("*")}*`].join("/");
}

function wildcardCount(name: string): number {
  return name === "**" ? 0 : (name.match(/\*+/g)?.length ?? 0);
}
