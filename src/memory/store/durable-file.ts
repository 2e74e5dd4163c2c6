import type { Stats } from "node:fs";
import fs from "node:fs/promises";
import { hasCode } from "../../disk/error-codes.ts";
import { openFile } from "../../disk/plain-file.ts";

/** A file doesn't contain the expected data. Other read errors say nothing about the file. */
export class DamagedFileError extends Error {
  override readonly name = "DamagedFileError";
}

/** Throws when this program may no longer write. */
export type ConfirmWriting = () => Promise<void>;

/** A file's bytes, and a text that changes whenever the file does. */
export interface PlainFile {
  readonly bytes: Buffer;
  readonly stamp: string;
}

/** No file of a memory gets this large. Node.js ends the process if more than two gigabytes are read at once. */
export const MAX_FILE_BYTES = 512 * 1024 * 1024;

/**
 * Larger than any segment's index or log: a segment has some hundred memories of four thousand characters and as many numbers. Millions of
 * empty objects, which compress well in a repository, would take thirty times their size in memory and crash the program.
 */
export const MAX_SEGMENT_BYTES = 48 * 1024 * 1024;

/**
 * Reads a regular file of at most `most` bytes without following a link; undefined if it doesn't exist. A link or another kind of file
 * counts as damage.
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
