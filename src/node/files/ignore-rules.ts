import { join } from "node:path";
import type { Ignore } from "ignore";
import ignore from "ignore";
import { openLinkedFile } from "../../plain-file.ts";
import { hasCode } from "./file-errors.ts";
import { linkTarget } from "./real-path.ts";

/** Why a path is ignored: git leaves it out, or the user keeps the agent out of it. */
export type Ignored = "git" | "agent";

/** Which paths below a workspace folder are ignored. Paths are relative to it, with `/`; a folder's ends with `/`. */
export interface IgnoreRules {
  /** Whether the path itself is named by a rule; its parents are not asked. */
  named(path: string): Promise<Ignored | undefined>;
  /** Whether the path or a folder above it is ignored. */
  ignored(path: string): Promise<Ignored | undefined>;
  /** The same for a path that may be a file or a folder. */
  either(path: string): Promise<Ignored | undefined>;
  /** Whether the user keeps the agent out of the path, be it a file or a folder, or of a folder above it. */
  outOfBounds(path: string): Promise<boolean>;
}

const FILES: Readonly<Record<Ignored, string>> = { agent: ".autogptignore", git: ".gitignore" };

/** The rules of the `.gitignore` and `.autogptignore` files in a folder and all below it, each read once. */
export function ignoreRules(root: string): IgnoreRules {
  const read = new Map<string, Promise<Ignore | undefined>>();
  const rulesIn = (file: string): Promise<Ignore | undefined> => {
    const known = read.get(file) ?? rulesInFile(join(root, file));
    read.set(file, known);
    return known;
  };
  const verdict = async (path: string, by: Ignored): Promise<boolean> => {
    for (const folder of foldersAbove(path).reverse()) {
      const rules = await rulesIn(`${folder}${FILES[by]}`);
      const { ignored = false, unignored = false } = rules?.test(path.slice(folder.length)) ?? {};
      if (ignored || unignored) return ignored;
    }
    return false;
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
  return { named, ignored, either, outOfBounds };
}

/** The folders that hold a path, from the root (`""`) down, each with its `/`. */
function foldersAbove(path: string): string[] {
  const names = path.replace(/\/$/, "").split("/").slice(0, -1);
  return ["", ...names.map((_, index) => `${names.slice(0, index + 1).join("/")}/`)];
}

async function rulesInFile(file: string): Promise<Ignore | undefined> {
  const text = await textOf(file).catch((error: unknown) =>
    hasCode(error, "ENOENT", "ENOTDIR") || file.endsWith(FILES.git) ? undefined : EVERYTHING,
  );
  return text === undefined ? undefined : ignore().add(boundedPatterns(text));
}

/** A link is followed; a dangling one is a file that can't be read, not one that is missing. */
async function textOf(path: string): Promise<string> {
  const file = await openLinkedFile(path).catch(async (error: unknown) => {
    throw hasCode(error, "ENOENT") && (await linkTarget(path)) !== undefined ? new Error(path) : error;
  });
  return file.readFile("utf8").finally(() => file.close());
}

/** What a file says that cannot be read: the user wanted to keep something, and nobody knows what. */
const EVERYTHING = "*\n";

/** A pattern with more wildcards than this in one name could take very long to match. */
const MOST_STARS = 3;
const LONGEST_PATTERN = 500;
const LONGEST_FILE = 256 * 1024;

/**
 * The patterns of an ignore file, none of which takes long to match. One that could is shortened after its last quick wildcard, so that it
 * ignores more, never less; one that un-ignores is dropped instead.
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
