import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";

/** The ending of files that were being written when a crash came; they can go. */
export const UNFINISHED = ".tmp";

/** Replaces a file whole: readers and crashes see the old bytes or the new ones, and the disk has them when this resolves. */
export async function writeDurably(file: string, data: Uint8Array | string): Promise<void> {
  const unfinished = `${file}.${randomUUID().slice(0, 8)}${UNFINISHED}`;
  try {
    const handle = await fs.open(unfinished, "wx", 0o600);
    try {
      await handle.writeFile(data);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await fs.rename(unfinished, file);
  } catch (error) {
    await fs.rm(unfinished, { force: true });
    throw error;
  }
  await syncFolder(path.dirname(file));
}

/** Makes renames in a folder last; some systems cannot, and need not. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await fs.open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The bytes of a file that is really one, not a link; undefined when there is none. */
export async function readPlainFile(file: string): Promise<Buffer | undefined> {
  const stat = await fs.lstat(file).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  });
  if (!stat) return undefined;
  if (!stat.isFile()) throw new Error(`${file} is not a plain file.`);
  return fs.readFile(file);
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
