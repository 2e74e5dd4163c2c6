import { createYielder } from "../processes/event-loop.ts";
import { type Excludes, NO_EXCLUDES } from "./excludes.ts";
import type { IndexedFolders } from "./file-index.ts";
import type { IndexedFolder } from "./indexed-folder.ts";

/** Counts of the entries below a folder that a search leaves out. */
export interface LeftOutBelow {
  /** Relative paths of large files. */
  readonly large: readonly string[];
  /** All large files, including those that `fits` doesn't accept. */
  readonly allLarge: number;
  readonly secret: number;
  readonly ignored: number;
}

/** Counts the entries below a folder that a search leaves out. Only files accepted by `fits` count. */
export async function countOmittedEntries(
  folders: IndexedFolders,
  start: string,
  fits: (relative: string) => boolean,
  excludes: Excludes,
  signal: AbortSignal,
): Promise<LeftOutBelow> {
  const found: string[] = [];
  const counts = { large: found, allLarge: 0, secret: 0, ignored: 0 };
  const isSearched = (path: string) => !excludes.has(path);
  for await (const folder of walkFolders(folders, start, signal, isSearched)) {
    const read = folders.get(folder);
    if (!read) continue;
    const { large, secret, ignored } = read;
    counts.allLarge += large.size;
    for (const name of large) if (isSearched(folder + name) && fits(folder + name)) found.push(folder + name);
    for (const name of secret) if (isSearched(folder + name) && fits(folder + name)) counts.secret += 1;
    counts.ignored += ignored + countExcludedNames(folder, read, excludes);
  }
  return counts;
}

/** Caches how many entries settings exclude from a search, by folder; each search needs all the counts. */
const unsearched = new WeakMap<IndexedFolder, { readonly excludes: Excludes; readonly count: number }>();

function countExcludedNames(relative: string, folder: IndexedFolder, excludes: Excludes): number {
  const known = unsearched.get(folder);
  if (known?.excludes === excludes) return known.count;
  const isExcluded = (name: string) => excludes.has(relative + name.replace(/\/$/, ""));
  const count = excludes === NO_EXCLUDES ? 0 : folder.names.filter(isExcluded).length;
  unsearched.set(folder, { excludes, count });
  return count;
}

/** A folder and its subfolders, level by level, sorted by name. */
export async function* walkFolders(
  folders: IndexedFolders,
  start: string,
  signal: AbortSignal,
  isWanted: (path: string) => boolean = () => true,
): AsyncGenerator<string> {
  const breathe = createYielder(signal);
  const found = [start];
  for (const folder of found) {
    await breathe();
    yield folder;
    for (const name of folders.get(folder)?.names ?? [])
      if (name.endsWith("/") && isWanted(folder + name.slice(0, -1))) found.push(folder + name);
  }
}
