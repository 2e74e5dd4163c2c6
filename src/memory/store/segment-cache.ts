import { closeSync, fstatSync, readSync } from "node:fs";
import path from "node:path";
import { crc32 } from "node:zlib";
import { isObject, tryJson } from "../../core/base/json.ts";
import { openFileSync } from "../../disk/plain-file.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { MAX_FILE_BYTES } from "./durable-file.ts";
import { type PackedSegment, PLACE_COLUMNS } from "./packed-segment.ts";
import { CACHE_FILE } from "./segment-names.ts";

/** The first bytes of every cache; the digit is the format version. */
const MAGIC = Buffer.from("AGPTSEG2");
/** The size of the magic bytes, the header's length, and two checksums: of the header and the other parts, and of the vectors. */
const START_BYTES = 20;
/** The program's own headers are smaller, and parsing a large one would take thirty times its size in memory. */
const MAX_HEAD = 4 * 1024 * 1024;

/** The head of a cache, as JSON. */
interface CacheHead {
  /** The stamp of the cached index. */
  readonly stamp: string;
  readonly foreign: number;
  readonly ids: readonly string[];
  readonly embedders: readonly string[];
  readonly bytes: {
    readonly places: number;
    readonly texts: number;
    readonly terms: number;
    readonly vectors: number;
  };
}

/**
 * Reads a segment's index in the form that searches need, without parsing. An invalid cache counts as missing. Reads are synchronous
 * because they run in a worker thread, and a promise for each read would take longer.
 */
export function readCache(folder: string, stamp: string): PackedSegment | undefined {
  return readFromCache(folder, stamp, ({ head: { ids, embedders, foreign }, places, texts, terms }) => {
    const packed = { ids, embedders, foreign, texts, places: new Uint32Array(places.buffer) };
    return packed.places.length === ids.length * PLACE_COLUMNS
      ? { ...packed, terms: new Uint32Array(terms.buffer) }
      : undefined;
  });
}

/** The vectors of a segment's index, one after the other, in the order of `readCache`. */
export function readCachedVectors(folder: string, stamp: string): Float32Array<ArrayBuffer> | undefined {
  return readFromCache(folder, stamp, ({ head, file, size, end, checksum }) => {
    const vectors = readExactBytes(file, size, end, head.bytes.vectors);
    return crc32(vectors) === checksum ? new Float32Array(vectors.buffer) : undefined;
  });
}

/** Writes the cache of an index. A failure is ignored, because the cache is only a copy. */
export async function writeCache(
  folder: string,
  stamp: string,
  { ids, embedders, foreign, places, texts, terms }: PackedSegment,
  vectors: Float32Array,
): Promise<void> {
  const parts = [places, texts, terms].map(getArrayBytes);
  const numbers = getArrayBytes(vectors);
  const head: CacheHead = {
    stamp,
    foreign,
    ids,
    embedders,
    bytes: {
      places: places.byteLength,
      texts: texts.byteLength,
      terms: terms.byteLength,
      vectors: numbers.byteLength,
    },
  };
  const first = Buffer.from(JSON.stringify(head));
  const start = Buffer.alloc(START_BYTES);
  MAGIC.copy(start);
  start.writeUInt32LE(first.length, 8);
  start.writeUInt32LE(computeChecksum([first, ...parts]), 12);
  start.writeUInt32LE(crc32(numbers), 16);
  const bytes = Buffer.concat([start, first, ...parts, numbers]);
  await replaceFile(path.join(folder, CACHE_FILE), bytes, { private: true }).catch(() => undefined);
}

function getArrayBytes({ buffer, byteOffset, byteLength }: Uint8Array | Uint32Array | Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** The checksum of all parts in sequence. */
function computeChecksum(parts: readonly Uint8Array[]): number {
  return parts.reduce((checksum, part) => crc32(part, checksum), 0);
}

interface OpenCache {
  readonly file: number;
  readonly size: number;
  readonly head: CacheHead;
  readonly places: Uint8Array<ArrayBuffer>;
  readonly texts: Uint8Array<ArrayBuffer>;
  readonly terms: Uint8Array<ArrayBuffer>;
  /** The position of the vectors, and their checksum. */
  readonly end: number;
  readonly checksum: number;
}

function readFromCache<T>(folder: string, stamp: string, read: (cache: OpenCache) => T | undefined): T | undefined {
  let file: number | undefined;
  try {
    file = openFileSync(path.join(folder, CACHE_FILE));
    const cache = openCache(file, stamp);
    return cache && read(cache);
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function openCache(file: number, stamp: string): OpenCache | undefined {
  const { size } = fstatSync(file);
  const start = Buffer.from(readExactBytes(file, size, 0, START_BYTES));
  const length = start.readUInt32LE(8);
  if (!start.subarray(0, MAGIC.length).equals(MAGIC) || length > MAX_HEAD) return undefined;
  const first = readExactBytes(file, size, START_BYTES, length);
  const head = tryJson(Buffer.from(first.buffer).toString());
  if (!isHead(head) || head.stamp !== stamp) return undefined;
  let end = START_BYTES + length;
  const readNextPart = (bytes: number) => {
    const part = readExactBytes(file, size, end, bytes);
    end += bytes;
    return part;
  };
  const places = readNextPart(head.bytes.places);
  const texts = readNextPart(head.bytes.texts);
  const terms = readNextPart(head.bytes.terms);
  if (computeChecksum([first, places, texts, terms]) !== start.readUInt32LE(12)) return undefined;
  return { file, size, head, places, texts, terms, end, checksum: start.readUInt32LE(16) };
}

/** Checks the lengths, which limit reads before the checksum is verified. A repository can fake the checksum. */
function isHead(value: unknown): value is CacheHead {
  if (!isObject(value) || !isObject(value.bytes)) return false;
  const { places, texts, terms, vectors } = value.bytes;
  const areLengths = [places, texts, terms, vectors].every(
    (length) => Number.isSafeInteger(length) && Number(length) >= 0 && Number(length) <= MAX_FILE_BYTES,
  );
  return areLengths && areTexts(value.ids) && areTexts(value.embedders) && typeof value.foreign === "number";
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** Reads bytes from a file of this size into a new buffer. Throws if there are fewer. */
function readExactBytes(file: number, size: number, position: number, length: number): Uint8Array<ArrayBuffer> {
  if (position + length > size) throw new RangeError("The cache is cut off.");
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const read = readSync(file, bytes, at, length - at, position + at);
    if (read === 0) throw new RangeError("The cache is cut off.");
    at += read;
  }
  return bytes;
}
