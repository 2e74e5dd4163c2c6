import { randomUUID } from "node:crypto";
import type { Stats } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import { hasCode } from "../../disk/error-codes.ts";
import { openFile } from "../../disk/plain-file.ts";

/** The suffix of files that are being written; after a crash they can be deleted. */
export const TEMPORARY_SUFFIX = ".tmp";

/** A file doesn't hold what it should. Other errors of reading say nothing about the file. */
export class DamagedFileError extends Error {
  override readonly name = "DamagedFileError";
}

/** Throws when this program may no longer write. */
export type ConfirmWriting = () => Promise<void>;

/**
 * Replaces a file atomically: readers and crashes see the old bytes or the new ones. Resolves once they are on the disk.
 * A program that takes over a folder deletes unfinished files first, so one that has lost it changes nothing: either
 * `confirm` throws, or the file to be renamed is gone.
 */
export async function writeDurably(
  file: string,
  data: Uint8Array | string,
  confirm?: ConfirmWriting,
): Promise<void> {
  const unfinished = `${file}.${randomUUID().slice(0, 8)}${TEMPORARY_SUFFIX}`;
  try {
    const handle = await fs.open(unfinished, "wx", 0o600);
    try {
      await handle.writeFile(data);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await confirm?.();
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

/** No file of a memory gets that large. Node.js ends the whole program if more than two gigabytes are read at once. */
export const MAX_FILE_BYTES = 512 * 1024 * 1024;

/**
 * The index or the log of a segment is smaller: it has some hundred memories of four thousand characters and as many numbers. Millions of
 * empty objects, which pack well in a repository, would take thirty times their size in memory, and end the program.
 */
export const MAX_SEGMENT_BYTES = 48 * 1024 * 1024;

/**
 * Reads a regular file of at most so many bytes without following a link; undefined if it doesn't exist. Anything else in its place counts
 * as damage.
 */
export async function readPlainFile(file: string, most = MAX_FILE_BYTES): Promise<PlainFile | undefined> {
  const handle = await openFile(file).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return undefined;
    if (hasCode(error, "ELOOP", "EISDIR", "ENXIO")) throw new DamagedFileError("This isn't a file.");
    throw error;
  });
  if (!handle) return undefined;
  try {
    const stat = await handle.stat();
    if (stat.size > most) throw new DamagedFileError("This file is too large.");
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
export async function computeFileStamp(file: string): Promise<string> {
  try {
    return statStamp(await fs.lstat(file));
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return "";
    throw error;
  }
}

/** A text that changes whenever a file does. */
export function statStamp({ ino, size, mtimeMs }: Stats): string {
  return `${ino}-${size}-${mtimeMs}`;
}
