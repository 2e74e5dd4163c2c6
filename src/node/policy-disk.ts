import { createHash } from "node:crypto";
import { lstat, stat } from "node:fs/promises";
import { basename, delimiter, join, parse, resolve, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import { type Disk, replaceBracketSets } from "../core/ports/disk.ts";
import { hasCode } from "../disk/error-codes.ts";
import { openLinkedFile, readLinkedText } from "../disk/plain-file.ts";
import { readEntries, toDiskPath } from "./files/byte-names.ts";
import { statVersion } from "./files/file-version.ts";
import { AGENT_IGNORE_FILE, createExclusionTest, findIgnoredName, hasAgentIgnoreFile } from "./files/ignored-paths.ts";
import { listLinksAlong, resolveRealPath } from "./files/real-path.ts";
import { inspectRepository } from "./git/repository-view.ts";
import { createPatternTest, matchLiteral, matchMany, matchOne, matchSequence } from "./search/pattern-parts.ts";

/** Maximum number of files that a pattern may match, and of entries to search below a folder. */
const MOST_MATCHES = 2000;
const MOST_ENTRIES = 20_000;
/** Longer files don't count as scripts. */
const LONGEST_SCRIPT = 1_000_000;
/** Larger files are identified by their metadata. */
const MOST_HASHED = 256 * 1024 * 1024;

/** This machine's disk as the policy sees it. */
export function createPolicyDisk(env: Readonly<NodeJS.ProcessEnv> = process.env): Disk {
  return {
    findProgram: (name, folder) => findProgram(name, folder, env.PATH ?? ""),
    findRepository: (folder, folders) => inspectRepository(folder, folders, env),
    async resolveRealPaths(path, isPattern) {
      const names = isPattern ? await expandPattern(path) : [path];
      if (names === undefined) return undefined;
      const found = await Promise.all(names.map(resolveName));
      const likeFlags = isPattern ? names.filter((name) => basename(name).startsWith("-")) : [];
      return [...found.flatMap(({ real }) => real), ...found.flatMap(({ links }) => links), ...likeFlags];
    },
    findBelow,
    findIgnoredFile: findIgnoredName,
    async hash(path) {
      const file = await openLinkedFile(path).catch(() => undefined);
      if (!file) return undefined;
      const stats = await file.stat({ bigint: true });
      if (stats.size > MOST_HASHED) return file.close().then(() => statVersion(stats));
      const hash = createHash("sha256");
      await pipeline(file.createReadStream(), hash);
      return hash.digest("hex");
    },
    readText: (path) => readLinkedText(path, LONGEST_SCRIPT).catch(() => undefined),
  };
}

/** The real path of a name, and the links on the way. Dangling links are included, loops aren't. */
async function resolveName(name: string): Promise<{ readonly real: string[]; readonly links: readonly string[] }> {
  try {
    await lstat(toDiskPath(name));
    return { real: [await resolveRealPath(name)], links: await listLinksAlong(name) };
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "ELOOP")) return { real: [], links: [] };
    throw error;
  }
}

/** The existing paths that match a shell pattern, name by name. */
async function expandPattern(pattern: string): Promise<readonly string[] | undefined> {
  const { root } = parse(pattern);
  let found: string[] = [root];
  for (const name of pattern.slice(root.length).split(sep)) {
    const next: string[] = [];
    for (const folder of found) next.push(...(await matchEntries(folder, name)));
    if (next.length > MOST_MATCHES) return undefined;
    found = next;
  }
  return found;
}

async function matchEntries(folder: string, name: string): Promise<readonly string[]> {
  if (!/[*?[]/.test(name)) return (await isThere(join(folder, name))) ? [join(folder, name)] : [];
  const fits = createNameTest(name);
  const entries = await readEntries(folder).catch(() => []);
  return entries.filter((entry) => fits(entry.name)).map((entry) => join(folder, entry.name));
}

/** Creates a test that matches at least everything that the shell's pattern matches. */
function createNameTest(name: string): (entry: string) => boolean {
  const isHiddenMeant = name.startsWith(".");
  const isAnyCharacter = (): boolean => true;
  const parts = Array.from(replaceBracketSets(name), (character) => {
    if (character === "*") return matchMany(isAnyCharacter);
    return character === "?" ? matchOne(isAnyCharacter) : matchLiteral(character);
  });
  const matches = createPatternTest(matchSequence(parts));
  return (entry) => (isHiddenMeant || !entry.startsWith(".")) && matches(entry);
}

async function findBelow(
  folder: string,
  isWanted: (names: readonly string[], isLink: boolean) => boolean,
  folders: readonly string[],
): Promise<string | undefined> {
  const keptOut = createExclusionTest(folder, folders);
  let mayBeKeptOut = await hasAgentIgnoreFile(folder, folders);
  const waiting: (readonly string[])[] = [[]];
  let seen = 0;
  for (let names = waiting.pop(); names !== undefined; names = waiting.pop()) {
    const entries = await readEntries(join(folder, ...names)).catch(() => []);
    mayBeKeptOut ||= entries.some(({ name }) => name === AGENT_IGNORE_FILE);
    for (const entry of entries) {
      const here = [...names, entry.name];
      if (isWanted(here, entry.isSymbolicLink())) return `${here.join("/")} is among them`;
      if (mayBeKeptOut && (await keptOut(here))) return `${here.join("/")} is among them, which .autogptignore names`;
      if (++seen > MOST_ENTRIES) return "they are too many to look through";
      if (entry.isDirectory() && !isBulk(here)) waiting.push(here);
    }
  }
  return undefined;
}

/** Published packages, and git's object store: too large to search, and without the user's secrets. */
function isBulk(names: readonly string[]): boolean {
  return names.at(-1) === "node_modules" || (names.at(-1) === "objects" && names.at(-2) === ".git");
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(toDiskPath(path)).catch(() => undefined)) !== undefined;
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}

async function findProgram(name: string, folder: string, path: string): Promise<string | undefined> {
  for (const entry of path.split(delimiter)) {
    const file = resolve(folder, entry, name);
    if (await isFile(file)) return resolveRealPath(file);
  }
  return undefined;
}
