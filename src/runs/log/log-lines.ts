import { isUtf8 } from "node:buffer";
import { stat } from "node:fs/promises";
import { findJsonObjects, isObject, type Json, tryJson } from "../../core/base/json.ts";
import { openFile } from "../../disk/plain-file.ts";
import { removeSeal } from "./log-seal.ts";

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
export function canReadOn(found: FileStamp, read: { readonly inode: number; readonly bytes: number }): boolean {
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

/** No run has written a longer line. */
const MOST_PIECES = 512;
const NEWLINE = 10;

/**
 * The complete lines of a file from a byte on, which must be the first of a line. Lines come in groups, so that little memory
 * is used and the event loop stays free. An unfinished last line is skipped.
 */
export async function* readWholeLines(path: string, from: number): AsyncGenerator<Lines> {
  await using file = await openFile(path);
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
    yield { lines: decodeLines(whole).split("\n").slice(0, -1), bytes };
  }
}

/** Decodes bytes as text. A whole line with invalid UTF-8 gets a character that begins no line, so that it doesn't count as intact. */
export function decodeLines(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  const lines: string[] = [];
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    const line = bytes.subarray(start, end);
    lines.push(`${isUtf8(line) ? "" : "\0"}${line.toString("utf8")}`);
    start = end + 1;
  }
  return [...lines, bytes.toString("utf8", start)].join("\n");
}

/** True for the beginning of a line whose program ended while it wrote. A written line contains no control characters. */
export function isTornLine(text: string): boolean {
  return text.startsWith("{") && !/(?![\x7f-\x9f])\p{Cc}/u.test(text) && parseDamagedLine(text.slice(1)).length === 0;
}

/** An event begins a line. Within an event, an object with such a field follows one of the excluded characters. */
const EVENT_START = /^\{|(?<![:,[])\{"seq":/g;

/** The objects of a damaged line that may be whole events, which needn't be separated by line ends. */
export function parseDamagedLine(line: string): readonly Json[] {
  const starts = [...line.matchAll(EVENT_START)].map(({ index }) => index);
  return starts.flatMap((start, index) => {
    const [object] = findJsonObjects(line.slice(start, starts[index + 1])).objects;
    const value = object === undefined ? undefined : parseLineValue(object);
    return isObject(value) ? [value] : [];
  });
}

/** Deeper values would break the functions that walk through them. No event comes near this depth. */
const MAX_DEPTH = 200;

/** The JSON value of a line; undefined for a damaged line, and for one that is nested too deeply. */
export function parseLineValue(line: string): unknown {
  const value = tryJson(removeSeal(line));
  return isTooDeep(value) ? undefined : value;
}

/** True for a JSON value that is nested too deeply for an event. */
export function isTooDeep(value: unknown, left = MAX_DEPTH): boolean {
  if (typeof value !== "object" || value === null) return false;
  return left === 0 || Object.values(value).some((field) => isTooDeep(field, left - 1));
}
