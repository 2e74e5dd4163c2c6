import { chmod, lstat, readdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasCode } from "../../disk/error-codes.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { renameFile } from "../../disk/rename-file.ts";
import { isProcessAlive } from "../../node/processes/process-tree.ts";

const MAKING = /^\.making-(\d+)-/;
const REMOVED = ".removed-";

/** The folder in which a copy is made until it's complete. */
export function getUnfinishedCopyFolder(home: string): string {
  return join(dirname(home), `.making-${process.pid}-${basename(home)}`);
}

/** Deletes a copy, including read-only folders. Doesn't follow links. */
export async function removeCopy(home: string): Promise<void> {
  const removed = join(dirname(home), `${REMOVED}${process.pid}-${Date.now()}-${basename(home)}`);
  try {
    // From here on, it can't be opened.
    await renameFile(home, removed);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return;
    throw error;
  }
  await removeTree(removed);
}

/** Deletes a folder with everything in it. */
export async function removeTree(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(async (error: unknown) => {
    if (!hasCode(error, "EACCES", "EPERM", "ENOTEMPTY", "EBUSY")) throw error;
    await makeWritable(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  });
}

/** Makes folders writable, because only the owner of a file can delete it from a read-only folder. */
async function makeWritable(folder: string): Promise<void> {
  const stats = await lstat(folder).catch(() => undefined);
  if (!stats?.isDirectory()) return;
  await chmod(folder, 0o700);
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries) if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
}

/** Measures the bytes on the disk without following links. Counts a file with several names once. */
export async function measureCopySize(home: string): Promise<number> {
  const seen = new Set<number>();
  let bytes = 0;
  const waiting = [home];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      const stats = await lstat(path).catch(() => undefined);
      if (!stats || (stats.nlink > 1 && !entry.isDirectory() && seen.has(stats.ino))) continue;
      seen.add(stats.ino);
      // Windows knows no blocks.
      bytes += Math.max(stats.blocks * 512, process.platform === "win32" ? stats.size : 0);
    }
  }
  return bytes;
}

const SIZE = "size";

/** Saves the size of a copy in its folder, in bytes. */
export async function saveCopySize(home: string, bytes: number): Promise<void> {
  await writeFile(join(home, SIZE), String(bytes), { mode: 0o600 });
}

/** Sums the last measured bytes of all copies in a folder. */
export async function sumCopyBytes(root: string): Promise<number> {
  const names = await readdir(root).catch(() => []);
  const sizes = await Promise.all(
    names
      .filter((name) => !name.startsWith("."))
      .map(async (name) => Number(await readFileText(join(root, name, SIZE)).catch(() => 0))),
  );
  return sizes.reduce((sum, bytes) => sum + (Number.isSafeInteger(bytes) ? bytes : 0), 0);
}

/** Whether the copy of a run is needed. */
export type CopyNeed = "needed" | "reviewed" | "gone";

/** Limits for cleaning up copies. */
export interface Cleaning {
  readonly quotaBytes: number;
  /** `needed` copies are never deleted, `reviewed` ones only to free space, and those of deleted runs always. */
  keep(run: string): Promise<CopyNeed> | CopyNeed;
}

/**
 * Deletes unneeded copies: those of deleted runs and of crashes, then reviewed ones, oldest first, until the rest fits the quota. Returns
 * the runs whose copies are gone.
 */
export async function cleanCopies(root: string, { quotaBytes, keep }: Cleaning): Promise<readonly string[]> {
  const names = await readdir(root).catch(() => []);
  const gone: string[] = [];
  const copies: {
    readonly run: string;
    readonly bytes: number;
    readonly at: number;
    readonly state: CopyNeed;
  }[] = [];
  for (const name of names) {
    const path = join(root, name);
    if (isLeftover(name)) await removeTree(path);
    if (name.startsWith(".")) continue;
    const state = await keep(name);
    if (state === "gone") {
      await removeCopy(path);
      gone.push(name);
      continue;
    }
    const stats = await lstat(path).catch(() => undefined);
    if (!stats?.isDirectory()) continue;
    const bytes = await measureCopySize(path);
    await saveCopySize(path, bytes).catch(() => undefined);
    copies.push({ run: name, bytes, at: stats.mtimeMs, state });
  }
  let bytes = copies.reduce((sum, copy) => sum + copy.bytes, 0);
  for (const copy of copies.filter(({ state }) => state === "reviewed").sort((a, b) => a.at - b.at)) {
    if (bytes <= quotaBytes) break;
    await removeCopy(join(root, copy.run));
    bytes -= copy.bytes;
    gone.push(copy.run);
  }
  return gone;
}

/** True for remains of an interrupted creation or deletion. */
function isLeftover(name: string): boolean {
  if (name.startsWith(REMOVED)) return true;
  const [, id] = MAKING.exec(name) ?? [];
  return id !== undefined && Number(id) !== process.pid && !isProcessAlive(Number(id));
}
