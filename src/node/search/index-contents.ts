import { yielder } from "../processes/event-loop.ts";
import { type Excludes, NO_EXCLUDES } from "./excludes.ts";
import type { IndexedFolders } from "./file-index.ts";

/** Counts of what a search below a folder leaves out. */
export interface LeftOutBelow {
  readonly large: number;
  readonly secret: number;
  readonly ignored: number;
}

/** Counts the entries below a folder that a search leaves out; of files, those that `fits` accepts. */
export async function leftOutBelow(
  folders: IndexedFolders,
  start: string,
  fits: (relative: string) => boolean,
  excludes: Excludes,
  signal: AbortSignal,
): Promise<LeftOutBelow> {
  const counts = { large: 0, secret: 0, ignored: 0 };
  const isSearched = (path: string) => !excludes.has(path);
  for await (const folder of foldersBelow(folders, start, signal, isSearched)) {
    const { names = [], large = [], secret = [], ignored = 0 } = folders.get(folder) ?? {};
    for (const name of large) if (isSearched(folder + name) && fits(folder + name)) counts.large += 1;
    for (const name of secret) if (isSearched(folder + name) && fits(folder + name)) counts.secret += 1;
    counts.ignored += ignored;
    if (excludes === NO_EXCLUDES) continue;
    for (const name of names) if (excludes.has(folder + name.replace(/\/$/, ""))) counts.ignored += 1;
  }
  return counts;
}

/** A folder and those below it, level by level, in order of names. */
export async function* foldersBelow(
  folders: IndexedFolders,
  start: string,
  signal: AbortSignal,
  isWanted: (path: string) => boolean = () => true,
): AsyncGenerator<string> {
  const breathe = yielder(signal);
  const found = [start];
  for (const folder of found) {
    await breathe();
    yield folder;
    for (const name of folders.get(folder)?.names ?? [])
      if (name.endsWith("/") && isWanted(folder + name.slice(0, -1))) found.push(folder + name);
  }
}
