import { crc32 } from "node:zlib";
import { tryJson } from "../../core/base/json.ts";
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
  /** The number of damaged records in the middle, which are skipped. */
  readonly damaged: number;
}

/** A frame is the payload's length and checksum, and the payload: the length of a JSON text, the text, numbers. */
const FRAME_HEAD = 8;
const MAX_PAYLOAD = 16 * 1024 * 1024;

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

/** Decodes a log up to where a crash cut it off. Throws if it isn't a log of this version. */
export function decodeLog(bytes: Buffer): SegmentLogContents {
  if (!bytes.subarray(0, LOG_MAGIC.length).equals(LOG_MAGIC)) throw new Error("This isn't a memory log.");
  const records: SegmentRecord[] = [];
  let [at, end, damaged, suspect] = [LOG_MAGIC.length, LOG_MAGIC.length, 0, 0];
  while (at + FRAME_HEAD <= bytes.length) {
    const length = bytes.readUInt32LE(at);
    const next = at + FRAME_HEAD + length;
    if (length < 4 || length > MAX_PAYLOAD || next > bytes.length) break;
    const payload = bytes.subarray(at + FRAME_HEAD, next);
    const record = crc32(payload) === bytes.readUInt32LE(at + 4) ? decodePayload(payload) : undefined;
    at = next;
    if (!record) {
      suspect++;
      continue;
    }
    records.push(record);
    damaged += suspect;
    suspect = 0;
    end = at;
  }
  return { records, end, damaged };
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
  return { op: "vector", id: head.id, embedder: head.embedder, vector: floats(payload.subarray(jsonEnd)) };
}

/** Copies the numbers of a file into aligned memory. */
function floats(bytes: Uint8Array): Float32Array {
  const copy = new Float32Array(Math.floor(bytes.length / 4));
  new Uint8Array(copy.buffer).set(bytes.subarray(0, copy.byteLength));
  return copy;
}
