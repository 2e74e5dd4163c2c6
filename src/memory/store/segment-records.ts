import { crc32 } from "node:zlib";
import { tryJson } from "../../core/base/json.ts";
import { DamagedFileError } from "./durable-file.ts";
import { type MemoryItem, readItem } from "./memory-item.ts";

/** A change in a segment's log. Replaying one twice has the same effect as once. */
export type SegmentRecord =
  | { readonly op: "put"; readonly item: MemoryItem }
  | { readonly op: "vector"; readonly id: string; readonly embedder: string; readonly vector: Float32Array }
  | { readonly op: "remove"; readonly id: string };

/** The first bytes of every log; the digit is the format version. */
export const LOG_MAGIC = Buffer.from("AGPTLOG1");

/** The contents of a log. */
export interface SegmentLogContents {
  readonly records: readonly SegmentRecord[];
  /** The length of the undamaged log; a record that a crash cut off may follow. */
  readonly end: number;
  /** The number of places with unreadable data, which is skipped. */
  readonly damaged: number;
}

/** A frame is the payload's length and checksum, and the payload: the length of a JSON text, the text, numbers. */
const FRAME_HEAD = 8;
/** The program's own payloads are far smaller. Millions of empty objects in one would take thirty times its size in memory. */
const MAX_PAYLOAD = 4 * 1024 * 1024;
/** The most bytes to verify by checksum while searching for the next record. */
const MOST_CHECKED = 256 * 1024 * 1024;

/** Encodes a record for a log. */
export function encodeRecord(record: SegmentRecord): Buffer {
  const { vector, ...head } = record.op === "vector" ? record : { ...record, vector: undefined };
  const json = Buffer.from(JSON.stringify(head));
  const numbers = vector ? Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength) : Buffer.alloc(0);
  const frame = Buffer.allocUnsafe(FRAME_HEAD + 4 + json.length + numbers.length);
  frame.writeUInt32LE(json.length, FRAME_HEAD);
  json.copy(frame, FRAME_HEAD + 4);
  numbers.copy(frame, FRAME_HEAD + 4 + json.length);
  frame.writeUInt32LE(frame.length - FRAME_HEAD, 0);
  frame.writeUInt32LE(crc32(frame.subarray(FRAME_HEAD)), 4);
  return frame;
}

/**
 * Decodes a log up to where a crash cut it off. After a damaged record, whose length may be wrong, searches for the next whole one. Throws
 * `DamagedFileError` if it isn't a log of this version.
 */
export function decodeLog(bytes: Buffer): SegmentLogContents {
  if (!bytes.subarray(0, LOG_MAGIC.length).equals(LOG_MAGIC)) throw new DamagedFileError("This isn't a memory log.");
  const records: SegmentRecord[] = [];
  const budget = { left: MOST_CHECKED };
  let [at, damaged] = [LOG_MAGIC.length, 0];
  while (at < bytes.length) {
    const frame = readFrame(bytes, at) ?? findNextFrame(bytes, at + 1, budget);
    if (!frame) break;
    if (frame.at !== at) damaged++;
    records.push(frame.record);
    at = frame.end;
  }
  if (findFrameEnd(bytes, at) === bytes.length) damaged++;
  return { records, end: at, damaged };
}

interface Frame {
  readonly at: number;
  readonly end: number;
  readonly record: SegmentRecord;
}

/** The end of a possible record at this position. Undefined if the bytes rule out a complete record. */
function findFrameEnd(bytes: Buffer, at: number): number | undefined {
  if (at + FRAME_HEAD > bytes.length) return undefined;
  const length = bytes.readUInt32LE(at);
  const end = at + FRAME_HEAD + length;
  return length < 4 || length > MAX_PAYLOAD || end > bytes.length ? undefined : end;
}

function readFrame(bytes: Buffer, at: number): Frame | undefined {
  const end = findFrameEnd(bytes, at);
  if (end === undefined) return undefined;
  const payload = bytes.subarray(at + FRAME_HEAD, end);
  const record = crc32(payload) === bytes.readUInt32LE(at + 4) ? decodePayload(payload) : undefined;
  return record && { at, end, record };
}

/** Finds the next record at or after a position. Foreign bytes may look like many records, so the search is limited. */
function findNextFrame(bytes: Buffer, from: number, budget: { left: number }): Frame | undefined {
  for (let at = from; at + FRAME_HEAD <= bytes.length && budget.left > 0; at++) {
    const end = findFrameEnd(bytes, at);
    if (end === undefined) continue;
    budget.left -= end - at;
    const frame = readFrame(bytes, at);
    if (frame) return frame;
  }
  return undefined;
}

function decodePayload(payload: Buffer): SegmentRecord | undefined {
  const jsonEnd = 4 + payload.readUInt32LE(0);
  if (jsonEnd > payload.length) return undefined;
  const head: unknown = tryJson(payload.toString("utf8", 4, jsonEnd));
  if (typeof head !== "object" || head === null || !("op" in head)) return undefined;
  if (head.op === "put" && "item" in head && typeof head.item === "object" && head.item) {
    const item = readItem("id" in head.item && head.item.id, { ...head.item });
    return item && { op: "put", item };
  }
  if (!("id" in head) || typeof head.id !== "string") return undefined;
  if (head.op === "remove") return { op: "remove", id: head.id };
  if (head.op !== "vector" || !("embedder" in head) || typeof head.embedder !== "string") return undefined;
  return {
    op: "vector",
    id: head.id,
    embedder: head.embedder,
    vector: copyFloats(payload.subarray(jsonEnd)),
  };
}

/** Copies the numbers of a file into aligned memory. */
function copyFloats(bytes: Uint8Array): Float32Array {
  const copy = new Float32Array(Math.floor(bytes.length / 4));
  new Uint8Array(copy.buffer).set(bytes.subarray(0, copy.byteLength));
  return copy;
}
