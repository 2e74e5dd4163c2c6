import { yielder } from "../processes/event-loop.ts";
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
  signal: AbortSignal,
): Promise<LeftOutBelow> {
  const counts = { large: 0, secret: 0, ignored: 0 };
  for await (const folder of foldersBelow(folders, start, signal)) {
    const read = folders.get(folder);
    for (const name of read?.large ?? []) if (fits(folder + name)) counts.large += 1;
    for (const name of read?.secret ?? []) if (fits(folder + name)) counts.secret += 1;
    counts.ignored += read?.ignored ?? 0;
  }
  return counts;
}

/** A folder and those below it, level by level, in order of names. */
export async function* foldersBelow(
  folders: IndexedFolders,
  start: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const breathe = yielder(signal);
  const found = [start];
  for (const folder of found) {
    await breathe();
    yield folder;
    for (const name of folders.get(folder)?.names ?? []) if (name.endsWith("/")) found.push(folder + name);
  }
}
