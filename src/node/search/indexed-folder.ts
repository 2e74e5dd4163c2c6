import { type Dirent, lstatSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { StaleFileError } from "../../core/ports/workspace.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { runInFolder } from "../files/held-folder.ts";
import type { IgnoreRules } from "../files/ignore-rules.ts";
import { createYielder } from "../processes/event-loop.ts";
import type { Excludes } from "./excludes.ts";
import type { ListedFiles } from "./ripgrep-files.ts";
import { SEARCHED_BYTES, type SearchExclusion } from "./search-query.ts";
import { HIDDEN } from "./walk.ts";

/** The entries of one folder that ignore files don't exclude. */
export interface IndexedFolder {
  /** Sorted; names of folders end with `/`. */
  readonly names: readonly string[];
  /** Names of links, devices and sockets. */
  readonly others: ReadonlySet<string>;
  /** Files whose content searches leave out. */
  readonly secret: ReadonlySet<string>;
  /** Other files that are too large for a search. */
  readonly large: ReadonlySet<string>;
  /** Number of entries that ignore files and settings leave out. */
  readonly ignored: number;
}

/** Options for reading folders. */
export interface FolderReading {
  /** Real path of the workspace folder. */
  readonly root: string;
  readonly rules: IgnoreRules;
  readonly excludes: Excludes;
  readonly leftOut: SearchExclusion;
  /** Files that git is known not to ignore. */
  readonly listed?: ListedFiles;
  readonly signal: AbortSignal;
}

/** Earlier state of a folder that is read again. */
export interface EarlierFolder {
  readonly before: IndexedFolder;
  /** Names of files that changed. */
  readonly changed: ReadonlySet<string>;
}

/** Reads a folder; undefined if it's gone or can't be read. `relative` ends with `/` unless it's the workspace folder. */
export async function readIndexedFolder(
  reading: FolderReading,
  relative: string,
  earlier?: EarlierFolder,
): Promise<IndexedFolder | undefined> {
  const { root, rules, excludes, leftOut, listed } = reading;
  const path = join(root, relative).replace(/[\\/]$/, "");
  const entries = await runInFolder(path, (at) => readdir(at("."), { withFileTypes: true })).catch(ignoreUnreadable);
  if (!entries) return undefined;
  const limitsMore = await rules.hasOtherRules(relative, listed?.rules);
  const named = await rules.loadMatcher(relative);
  const before = new Set(earlier?.before.names);
  const here = listed?.folders.get(relative);
  const made = { names: [] as string[], others: new Set<string>(), secret: new Set<string>() };
  const large = new Set<string>();
  const breathe = createYielder(reading.signal);
  let ignored = 0;
  for (const entry of entries.sort(compareByName)) {
    await breathe();
    if (HIDDEN.has(entry.name)) continue;
    const isFolder = entry.isDirectory();
    const name = isFolder ? `${entry.name}/` : entry.name;
    const isListed = isFolder ? listed?.folders.has(relative + name) === true : here?.files.has(name) === true;
    const isOpen = before.has(name) || (isListed && !limitsMore);
    if (excludes.has(relative + entry.name) || (!isOpen && named(relative + name) !== undefined)) {
      ignored += 1;
      continue;
    }
    made.names.push(name);
    if (isFolder) continue;
    if (!entry.isFile()) made.others.add(name);
    else if (leftOut(relative + name)) made.secret.add(name);
    else if (before.has(name) && !earlier?.changed.has(name)) {
      if (earlier?.before.large.has(name)) large.add(name);
    } else if (here?.files.has(name) ? here.large.has(name) : isLarge(join(path, name))) large.add(name);
  }
  return { ...made, large, ignored };
}

function isLarge(path: string): boolean {
  return (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) > SEARCHED_BYTES;
}

function compareByName(one: Dirent, other: Dirent): number {
  return one.name < other.name ? -1 : 1;
}

function ignoreUnreadable(error: unknown): undefined {
  if (error instanceof StaleFileError) return undefined;
  if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "EPERM", "ENAMETOOLONG", "ELOOP")) return undefined;
  throw error;
}
