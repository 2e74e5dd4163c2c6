import { stat } from "node:fs/promises";
import { tryJson } from "../../core/base/json.ts";
import { openFile } from "../../plain-file.ts";
import { unsealed } from "./log-seal.ts";

/** The state of a file; the same stamp means the same content. */
export interface FileStamp {
  readonly inode: number;
  readonly size: number;
  readonly mtimeMs: number;
}

/** Reads a file's stamp without opening it. */
export async function readFileStamp(path: string): Promise<FileStamp> {
  const { ino, size, mtimeMs } = await stat(path);
  return { inode: ino, size, mtimeMs };
}

/** Whether two stamps are equal. The size counts too, because a file can grow twice within one tick of the disk's clock. */
export function isSameStamp(one: FileStamp, other: FileStamp): boolean {
  return one.inode === other.inode && one.size === other.size && one.mtimeMs === other.mtimeMs;
}

/** Whether a file is the one that was read before and hasn't shrunk, so that reading can continue. */
export function canReadOn(
  found: FileStamp,
  read: { readonly inode: number; readonly bytes: number },
): boolean {
  return found.inode === read.inode && found.size >= read.bytes;
}

/** Some lines of a file, and the start of the next one. */
interface Lines {
  readonly lines: readonly string[];
  readonly bytes: number;
}

const PIECE = 256 * 1024;
/** Limit on a log that is read whole. */
export const MOST_LOG_BYTES = 400 * 1024 * 1024;

/** A longer line was written by no run. */
const MOST_PIECES = 512;
const NEWLINE = 10;

/**
 * The complete lines of a file from a byte on, which must be the first of a line. Lines come in groups, so that little memory
 * is used and the event loop stays free. An unfinished last line is skipped.
 */
export async function* wholeLines(path: string, from: number): AsyncGenerator<Lines> {
  const file = await openFile(path);
  try {
    let bytes = from;
    let position = from;
    let pieces: Buffer[] = [];
    for (;;) {
      const piece = Buffer.allocUnsafe(PIECE);
      const { bytesRead } = await file.read(piece, 0, PIECE, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      const end = piece.subarray(0, bytesRead).lastIndexOf(NEWLINE) + 1;
      pieces.push(piece.subarray(0, end === 0 ? bytesRead : end));
      if (end === 0) {
        if (pieces.length > MOST_PIECES) return;
        continue;
      }
      const whole = Buffer.concat(pieces);
      pieces = [piece.subarray(end, bytesRead)];
      bytes += whole.length;
      yield { lines: whole.toString("utf8", 0, whole.length - 1).split("\n"), bytes };
    }
  } finally {
    await file.close();
  }
}

/** Deeper values would end the functions that walk through them. No event comes near. */
const MAX_DEPTH = 200;

/** The JSON value of a line; undefined for a damaged line, and for one that is nested too deeply. */
export function lineValue(line: string): unknown {
  const value = tryJson(unsealed(line));
  return isTooDeep(value) ? undefined : value;
}

/** True for a JSON value that is nested too deeply for an event. */
export function isTooDeep(value: unknown, left = MAX_DEPTH): boolean {
  if (typeof value !== "object" || value === null) return false;
  return left === 0 || Object.values(value).some((field) => isTooDeep(field, left - 1));
}
