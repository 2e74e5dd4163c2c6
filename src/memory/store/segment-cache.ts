import fs from "node:fs/promises";
import path from "node:path";
import { crc32 } from "node:zlib";
import { isObject, tryJson } from "../../core/base/json.ts";
import { openFile } from "../../plain-file.ts";
import { MAX_FILE_BYTES, TEMPORARY_SUFFIX } from "./durable-file.ts";
import { CACHE_FILE } from "./segment-names.ts";
import type { PackedPlace } from "./stored-item.ts";

/** A memory in a packed segment. */
export interface Stored {
  readonly id: string;
  /** The place of its JSON in the texts. */
  readonly place: PackedPlace;
  /** The end of its words in the terms. */
  readonly termsEnd: number;
  /** The embedder and the size of its vector; absent while it has none. */
  readonly embedder?: string;
  readonly size?: number;
}

/** The memories of a segment without their vectors, in a form that threads can hand over. */
export interface PackedSegment {
  readonly stored: readonly Stored[];
  /** The memories as JSON, one after the other. */
  readonly texts: Uint8Array<ArrayBuffer>;
  /** The words of the memories as numbers; see `eachTerm`. */
  readonly terms: Uint32Array<ArrayBuffer>;
  /** The number of items of other programs in the index. */
  readonly foreign: number;
}

/** The first bytes of every cache; the digit is the format version. */
const MAGIC = Buffer.from("AGPTSEG1");
/** The magic, the length of the head, and the checksums of the head with the parts but the vectors, and of the vectors. */
const START_BYTES = 20;
/** A larger head isn't one. */
const MAX_HEAD = 64 * 1024 * 1024;

/** The head of a cache, as JSON. */
interface CacheHead {
  /** The stamp of the index that the cache was made of. */
  readonly stamp: string;
  readonly foreign: number;
  readonly stored: readonly Stored[];
  readonly bytes: { readonly texts: number; readonly terms: number; readonly vectors: number };
}

/** A segment's index in the form that a search needs, without parsing. Anything wrong with it makes it as good as missing. */
export async function readCache(folder: string, stamp: string): Promise<PackedSegment | undefined> {
  return reading(folder, stamp, async ({ head, texts, terms }) => ({
    stored: head.stored,
    foreign: head.foreign,
    texts,
    terms: new Uint32Array(terms.buffer),
  }));
}

/** The vectors of a segment's index, one after the other, in the order of `readCache`. */
export function readCachedVectors(
  folder: string,
  stamp: string,
): Promise<Float32Array<ArrayBuffer> | undefined> {
  return reading(folder, stamp, async ({ head, file, size, end, checksum }) => {
    const vectors = await bytesAt(file, size, end, head.bytes.vectors);
    return crc32(vectors) === checksum ? new Float32Array(vectors.buffer) : undefined;
  });
}

/** Writes the cache of an index. It's only a copy, so a failure is no trouble. */
export async function writeCache(
  folder: string,
  stamp: string,
  { stored, foreign, texts, terms }: PackedSegment,
  vectors: Float32Array,
): Promise<void> {
  const [numbers, termBytes] = [vectors, terms].map(
    (list) => new Uint8Array(list.buffer, list.byteOffset, list.byteLength),
  );
  if (!numbers || !termBytes) return;
  const head: CacheHead = {
    stamp,
    foreign,
    stored,
    bytes: { texts: texts.length, terms: termBytes.length, vectors: numbers.length },
  };
  const first = Buffer.from(JSON.stringify(head));
  const start = Buffer.alloc(START_BYTES);
  MAGIC.copy(start);
  start.writeUInt32LE(first.length, 8);
  start.writeUInt32LE(crc32(termBytes, crc32(texts, crc32(first))), 12);
  start.writeUInt32LE(crc32(numbers), 16);
  const file = path.join(folder, CACHE_FILE);
  const unfinished = `${file}${TEMPORARY_SUFFIX}`;
  try {
    await fs.rm(unfinished, { force: true });
    await fs.writeFile(unfinished, Buffer.concat([start, first, texts, termBytes, numbers]), {
      flag: "wx",
      mode: 0o600,
    });
    await fs.rename(unfinished, file);
  } catch {
    await fs.rm(unfinished, { force: true }).catch(() => undefined);
  }
}

interface OpenCache {
  readonly file: fs.FileHandle;
  readonly size: number;
  readonly head: CacheHead;
  readonly texts: Uint8Array<ArrayBuffer>;
  readonly terms: Uint8Array<ArrayBuffer>;
  /** The position of the vectors, and their checksum. */
  readonly end: number;
  readonly checksum: number;
}

async function reading<T>(
  folder: string,
  stamp: string,
  read: (cache: OpenCache) => Promise<T | undefined>,
): Promise<T | undefined> {
  const file = await openFile(path.join(folder, CACHE_FILE)).catch(() => undefined);
  if (!file) return undefined;
  try {
    const cache = await openCache(file);
    return cache?.head.stamp === stamp ? await read(cache) : undefined;
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

async function openCache(file: fs.FileHandle): Promise<OpenCache | undefined> {
  const { size } = await file.stat();
  const start = Buffer.from(await bytesAt(file, size, 0, START_BYTES));
  const length = start.readUInt32LE(8);
  if (!start.subarray(0, MAGIC.length).equals(MAGIC) || length > MAX_HEAD) return undefined;
  const first = await bytesAt(file, size, START_BYTES, length);
  const head = tryJson(Buffer.from(first).toString());
  if (!isHead(head)) return undefined;
  const place = START_BYTES + length;
  const [texts, terms] = await Promise.all([
    bytesAt(file, size, place, head.bytes.texts),
    bytesAt(file, size, place + head.bytes.texts, head.bytes.terms),
  ]);
  if (crc32(terms, crc32(texts, crc32(first))) !== start.readUInt32LE(12)) return undefined;
  const end = place + texts.length + terms.length;
  return { file, size, head, texts, terms, end, checksum: start.readUInt32LE(16) };
}

/** The checksum covers the rest, so the lengths are enough to know one. They bound what is read before that. */
function isHead(value: unknown): value is CacheHead {
  if (!isObject(value) || !isObject(value.bytes)) return false;
  const { texts, terms, vectors } = value.bytes;
  return [texts, terms, vectors].every(
    (length) => Number.isSafeInteger(length) && Number(length) >= 0 && Number(length) <= MAX_FILE_BYTES,
  );
}

/** Bytes of a file of this size, in memory of their own. Throws if there are fewer. */
async function bytesAt(
  file: fs.FileHandle,
  size: number,
  position: number,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (position + length > size) throw new RangeError("The cache is cut off.");
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(bytes, at, length - at, position + at);
    if (bytesRead === 0) throw new RangeError("The cache is cut off.");
    at += bytesRead;
  }
  return bytes;
}
