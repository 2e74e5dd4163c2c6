import { join } from "node:path";
import type { Ignore } from "ignore";
import ignore from "ignore";
import { unifyForms } from "../../core/base/text.ts";
import { hasCode, ignoreCodes } from "../../disk/error-codes.ts";
import { readLinkedText } from "../../disk/plain-file.ts";
import { readLinkTarget } from "./real-path.ts";

/** Why a path is ignored: git ignores it, or the user excludes the agent from it. */
export type Ignored = "git" | "agent";

/** Ignored paths below a workspace folder. Paths are relative to it, with `/`; folders end with `/`. */
export interface IgnoreRules {
  /** Whether a rule names the path itself; its parents aren't checked. */
  matchPath(path: string): Promise<Ignored | undefined>;
  /** Reads the rules for the entries of a folder (`""` or with a final `/`). The result is a synchronous `matchPath`. */
  loadMatcher(folder: string): Promise<(path: string) => Ignored | undefined>;
  /** Whether the path or a folder above it is ignored. */
  matchWithParents(path: string): Promise<Ignored | undefined>;
  /** Like `matchWithParents`, for a path that may be a file or a folder. */
  matchFileOrFolder(path: string): Promise<Ignored | undefined>;
  /** Whether the user excludes the agent from the path, as a file or a folder, or from a folder above it. */
  isOutOfBounds(path: string): Promise<boolean>;
  /** Whether a folder, which ends with `/`, has any rules other than git's rules from `known` files. */
  hasOtherRules(folder: string, known?: ReadonlySet<string>): Promise<boolean>;
}

/** The file with git's rules for a folder. */
export const GIT_IGNORE_FILE = ".gitignore";

const FILES: Readonly<Record<Ignored, string>> = { agent: ".autogptignore", git: GIT_IGNORE_FILE };

/** The text of an ignore file by its path relative to the root; undefined if there is none. Throws if it can't be read. */
export type IgnoreFileReader = (file: string) => Promise<string | undefined>;

/** The rules of all `.gitignore` and `.autogptignore` files in a folder and its subfolders. Each file is read once. */
export function ignoreRules(root: string, readFile: IgnoreFileReader = createFileReader(root)): IgnoreRules {
  const read = new Map<string, Promise<FileRules | undefined>>();
  const getRules = (file: string): Promise<FileRules | undefined> => {
    const known = read.get(file) ?? readFileRules(file, readFile);
    read.set(file, known);
    return known;
  };
  const loadRulesAbove = async (path: string, by: Ignored): Promise<readonly FolderRules[]> => {
    const found: FolderRules[] = [];
    for (const folder of listFoldersAbove(path).reverse()) {
      const rules = await getRules(`${folder}${FILES[by]}`);
      if (rules) found.push({ start: folder.length, rules });
    }
    return found;
  };
  const isIgnored = async (path: string, by: Ignored): Promise<boolean> =>
    isIgnoredBy(await loadRulesAbove(path, by), path);
  const loadMatcher = async (folder: string) => {
    const agent = await loadRulesAbove(`${folder}x`, "agent");
    const git = await loadRulesAbove(`${folder}x`, "git");
    return (path: string): Ignored | undefined => {
      if (isIgnoredBy(agent, path)) return "agent";
      return isIgnoredBy(git, path) ? "git" : undefined;
    };
  };
  const matchPath = async (path: string): Promise<Ignored | undefined> => {
    if (await isIgnored(path, "agent")) return "agent";
    return (await isIgnored(path, "git")) ? "git" : undefined;
  };
  const matchWithParents = async (path: string): Promise<Ignored | undefined> => {
    if (path === "") return undefined;
    let found: Ignored | undefined;
    for (const above of [...listFoldersAbove(path).slice(1), path]) {
      const here = await matchPath(above);
      if (here === "agent") return here;
      found ??= here;
    }
    return found;
  };
  const isOutOfBounds = async (path: string): Promise<boolean> => {
    for (const above of [...listFoldersAbove(path).slice(1), path, `${path}/`])
      if (path !== "" && (await isIgnored(above, "agent"))) return true;
    return false;
  };
  const matchFileOrFolder = async (path: string): Promise<Ignored | undefined> => {
    if (path !== "" && (await isOutOfBounds(path))) return "agent";
    return (await matchWithParents(path)) ?? (path === "" ? undefined : matchWithParents(`${path}/`));
  };
  const hasOtherRules = async (folder: string, known: ReadonlySet<string> = new Set()): Promise<boolean> => {
    const git = await loadRulesAbove(`${folder}x`, "git");
    const isKnown = ({ start }: FolderRules) => known.has(`${folder.slice(0, start)}${FILES.git}`);
    return !git.every(isKnown) || (await loadRulesAbove(`${folder}x`, "agent")).length > 0;
  };
  return { matchPath, loadMatcher, matchWithParents, matchFileOrFolder, isOutOfBounds, hasOtherRules };
}

type FileRules = Pick<Ignore, "test">;

/** The rules of one folder; `start` is the length of its path. */
interface FolderRules {
  readonly start: number;
  readonly rules: FileRules;
}

/** The nearest folder with a matching rule decides. */
function isIgnoredBy(nearestFirst: readonly FolderRules[], path: string): boolean {
  for (const { start, rules } of nearestFirst) {
    const { ignored, unignored } = rules.test(path.slice(start));
    if (ignored || unignored) return ignored;
  }
  return false;
}

/** The ignore files that can apply to a path, relative to the root. */
export function ignoreFilesAbove(path: string): readonly string[] {
  return listFoldersAbove(path).flatMap((folder) => [`${folder}${FILES.agent}`, `${folder}${FILES.git}`]);
}

/** The folders above a path, from the root (`""`) down, each with its `/`. */
function listFoldersAbove(path: string): string[] {
  const names = path.replace(/\/$/, "").split("/").slice(0, -1);
  return ["", ...names.map((_, index) => `${names.slice(0, index + 1).join("/")}/`)];
}

/** Reads a file's rules. The user's exclusions apply in every Unicode form. */
async function readFileRules(file: string, read: IgnoreFileReader): Promise<FileRules | undefined> {
  const isGit = file.endsWith(FILES.git);
  const text = await read(file).catch(() => (isGit ? undefined : EVERYTHING));
  if (text === undefined) return undefined;
  if (isGit) return ignore().add(limitPatterns(text));
  const rules = ignore().add(limitPatterns(unifyForms(text)));
  return { test: (path) => rules.test(unifyForms(path)) };
}

function createFileReader(root: string): IgnoreFileReader {
  return (file) => readIgnoreFile(join(root, file)).catch(ignoreCodes("ENOENT", "ENOTDIR"));
}

/** Reads an ignore file. Links are followed; a dangling one counts as unreadable, not as missing. */
async function readIgnoreFile(path: string): Promise<string> {
  return readLinkedText(path, MOST_BYTES).catch(async (error: unknown) => {
    throw hasCode(error, "ENOENT") && (await readLinkTarget(path)) !== undefined ? new Error(path) : error;
  });
}

/** Combines git's patterns from some ignore files into one text for their root, and returns the files used. `most` limits the patterns. */
export async function collectGitPatterns(
  root: string,
  files: readonly string[],
  most = Number.POSITIVE_INFINITY,
): Promise<{ readonly text: string; readonly from: ReadonlySet<string> }> {
  const read = createFileReader(root);
  const all: string[] = [];
  const from = new Set<string>();
  // The last pattern that matches decides, so the nearest folder comes last.
  for (const file of files.toSorted((one, other) => one.split("/").length - other.split("/").length)) {
    const folder = file.slice(0, -GIT_IGNORE_FILE.length);
    const text = /[\r\n]/.test(folder) ? undefined : await read(file).catch(() => undefined);
    const lines = text === undefined ? [] : limitPatterns(text).split("\n");
    const patterns = lines.filter((line) => !/^(?:#|!?\/?\s*$)/.test(line));
    if (text === undefined || all.length + patterns.length > most) continue;
    from.add(file);
    all.push(...patterns.map((pattern) => movePatternToRoot(folder, pattern)));
  }
  return { text: all.map((pattern) => `${pattern}\n`).join(""), from };
}

/** Rewrites a pattern of a folder's ignore file for the root's file. */
function movePatternToRoot(folder: string, pattern: string): string {
  if (folder === "") return pattern;
  const [not, body] = pattern.startsWith("!") ? ["!", pattern.slice(1)] : ["", pattern];
  const above = `/${folder.replace(/[\\*?[\]{}]/g, "\\$&")}`;
  return `${not}${above}${/\/./.test(body) ? body.replace(/^\//, "") : `**/${body}`}`;
}

/** The assumed content of an unreadable file: the user wanted to exclude something unknown. */
const EVERYTHING = "*\n";

/** A pattern with more wildcards in one name can be very slow. */
const MOST_STARS = 3;
const LONGEST_PATTERN = 500;
const LONGEST_FILE = 256 * 1024;
/** Larger files count as unreadable. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * The patterns of an ignore file, limited to quick ones. A slow one is cut after its last quick wildcard, so that it
 * ignores more, never less. A slow one that un-ignores is dropped.
 */
export function limitPatterns(text: string): string {
  return text
    .slice(0, LONGEST_FILE)
    .split(/\r?\n/)
    .map((line) => (isQuick(line) ? line : shortenPattern(line)))
    .join("\n");
}

function isQuick(line: string): boolean {
  return line.length <= LONGEST_PATTERN && line.split("/").every((name) => countWildcards(name) <= MOST_STARS);
}

function shortenPattern(line: string): string {
  if (line.startsWith("!")) return "";
  const names = line.slice(0, LONGEST_PATTERN).split("/");
  const slow = names.findIndex((name) => countWildcards(name) > MOST_STARS);
  if (slow === -1) return `${names.slice(0, -1).join("/")}/*`;
  const pieces = (names[slow] ?? "").split(/\*+/).slice(0, MOST_STARS);
  return [...names.slice(0, slow), `${pieces.join("*")}*`].join("/");
}

function countWildcards(name: string): number {
  return name === "**" ? 0 : (name.match(/\*+/g)?.length ?? 0);
}
