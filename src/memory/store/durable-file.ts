import { randomUUID } from "node:crypto";
import type { Stats } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import { openFile } from "../../plain-file.ts";

/** The suffix of files that are being written; after a crash they can be deleted. */
export const TEMPORARY_SUFFIX = ".tmp";

/** Replaces a file atomically: readers and crashes see the old bytes or the new ones. Resolves once they are on the disk. */
export async function writeDurably(file: string, data: Uint8Array | string): Promise<void> {
  const unfinished = `${file}.${randomUUID().slice(0, 8)}${TEMPORARY_SUFFIX}`;
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

/** Makes renames in a folder durable. Windows has no such call and doesn't need one. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await fs.open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A file's bytes, and a text that changes whenever the file does. */
export interface PlainFile {
  readonly bytes: Buffer;
  readonly stamp: string;
}

/** Reads a regular file without following a link; undefined if it doesn't exist. */
export async function readPlainFile(file: string): Promise<PlainFile | undefined> {
  const handle = await openFile(file).catch((error: unknown) => {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw error;
  });
  if (!handle) return undefined;
  try {
    const stat = await handle.stat();
    const bytes = Buffer.allocUnsafeSlow(stat.size);
    let read = 0;
    while (read < bytes.length) {
      const { bytesRead } = await handle.read(bytes, read, bytes.length - read, read);
      if (bytesRead === 0) break;
      read += bytesRead;
    }
    return { bytes: bytes.subarray(0, read), stamp: statStamp(stat) };
  } finally {
    await handle.close();
  }
}

/** A text that changes whenever a file does; "" if it doesn't exist. */
export async function fileStamp(file: string): Promise<string> {
  try {
    return statStamp(await fs.lstat(file));
  } catch {
    return "";
  }
}

/** A text that changes whenever a file does. */
export function statStamp({ ino, size, mtimeMs }: Stats): string {
  return `${ino}-${size}-${mtimeMs}`;
}

export function hasErrorCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
