import fs from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { assertNever, getErrorMessage } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { computeFileStamp, DamagedFileError, MAX_SEGMENT_BYTES, readPlainFile, statStamp } from "./durable-file.ts";
import { createItemMetadata, type MemoryItem, readItem } from "./memory-item.ts";
import type { StoredVector } from "./memory-store.ts";
import { type PackedSegment, packMemories, type ReadItem } from "./packed-segment.ts";
import { readCache, readCachedVectors, writeCache } from "./segment-cache.ts";
import { INDEX_FILE, OLD_INDEX_FILE, SEGMENT_LOG_FILE } from "./segment-names.ts";
import { decodeLog, LOG_MAGIC, type SegmentLogContents } from "./segment-records.ts";
import { computeUnitVector } from "./stored-vector.ts";
import type { FoundItem, VectraItem } from "./vectra-index.ts";

/** The contents of a segment's files. */
export interface SegmentContents extends PackedSegment {
  /** The vectors one after the other, in the order of the memories; absent if they are read later. */
  readonly vectors?: Float32Array<ArrayBuffer>;
  /** The ids of memories in the log. */
  readonly logged: readonly string[];
  /** The length of the undamaged log. */
  readonly logEnd: number;
  /** Whether a part of the index is readable. */
  readonly hasItems: boolean;
  /** The files that can't be read completely. */
  readonly damaged: readonly string[];
  /** The ids of memories that the log removes. The index may still contain them. */
  readonly removed: readonly string[];
  /** Whether the index must be written (it's of 0.1.0), or must not be: it's from a newer Vectra, or can't be read now. */
  readonly format: "current" | "old" | "unknown" | "unreadable";
  /** Why it can't be read now. */
  readonly reason?: string;
  /** Changes whenever the files do; "" while they can't be read. */
  readonly stamp: string;
}

/** Whether to use the copy of an index, and whether to write it if it's out of date. */
export type CacheUse = "none" | "read" | "write";

/** How often, and after what delay, to reread a file that looks damaged: another program may be writing it. */
const ATTEMPTS = 20;
const ATTEMPT_MS = 100;

/**
 * Reads a segment's files. Only their contents count as damaged. If reading fails, or an update has just replaced the code, the files'
 * state is unknown.
 */
export async function readSegment(folder: string, cache: CacheUse = "none"): Promise<SegmentContents> {
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const contents = await readFiles(folder, cache);
      if (contents.damaged.length === 0) return contents;
      await pause(ATTEMPT_MS);
      if ((await computeSegmentStamp(folder)) === contents.stamp) return contents;
    }
    throw new Error("The files keep changing.");
  } catch (error) {
    return createUnreadableSegment(getErrorMessage(error));
  }
}

/** The contents of a segment that can't be read now. */
export function createUnreadableSegment(reason: string): SegmentContents {
  return { ...packMemories([]), ...NO_FILES, format: "unreadable", reason };
}

const NO_FILES = {
  hasItems: false,
  foreign: 0,
  logged: [],
  removed: [],
  logEnd: 0,
  damaged: [],
  stamp: "",
} as const;

/**
 * Reads the index and applies the log. The log is read first, because a writer empties it last. If only the index matters, its copy is read
 * instead.
 */
async function readFiles(folder: string, cache: CacheUse): Promise<SegmentContents> {
  const log = await readLog(path.join(folder, SEGMENT_LOG_FILE));
  const stamps = await computeIndexStamps(folder);
  const stamp = [log.stamp, ...stamps].join(" ");
  const isCached = cache !== "none" && log.damaged === 0 && log.records.length === 0;
  const known = isCached ? readCache(folder, stamps.join(" ")) : undefined;
  if (known) return { ...NO_FILES, ...known, logEnd: log.end, hasItems: true, format: "current", stamp };
  const index = await readIndexFile(folder, stamps);
  const items = new Map(index.items.map((one) => [one.item.id, one]));
  const { logged, removed } = applyLog(log.records, items);
  const contents = { ...packMemories([...items.values()]), foreign: index.foreign };
  const format = index.isUnknown ? "unknown" : index.isOld ? "old" : "current";
  if (isCached && cache === "write" && !index.isDamaged && format === "current" && items.size > 0)
    await writeCache(folder, stamps.join(" "), contents, contents.vectors);
  return {
    ...contents,
    logged: [...logged],
    removed: [...removed],
    logEnd: log.end,
    hasItems: index.items.length + index.foreign > 0,
    damaged: [...(index.isDamaged ? [index.name] : []), ...(log.damaged > 0 ? [SEGMENT_LOG_FILE] : [])],
    format,
    stamp,
  };
}

/** The vectors in the copy of an index, if it's still the copy of the index with this stamp. */
export function readVectors(folder: string, stamp: string): Float32Array<ArrayBuffer> | undefined {
  const [, ...index] = stamp.split(" ");
  return readCachedVectors(folder, index.join(" "));
}

/** A text that changes whenever a segment's files do. */
export async function computeSegmentStamp(folder: string): Promise<string> {
  return [await computeFileStamp(path.join(folder, SEGMENT_LOG_FILE)), ...(await computeIndexStamps(folder))].join(" ");
}

function computeIndexStamps(folder: string): Promise<readonly string[]> {
  return Promise.all([INDEX_FILE, OLD_INDEX_FILE].map((name) => computeFileStamp(path.join(folder, name))));
}

/** Returns the ids of the memories with text in the log, and of those that the log removes. */
function applyLog(
  records: SegmentLogContents["records"],
  items: Map<string, ReadItem>,
): { readonly logged: Set<string>; readonly removed: Set<string> } {
  const [logged, removed] = [new Set<string>(), new Set<string>()];
  for (const record of records) {
    switch (record.op) {
      case "put":
        items.set(record.item.id, { item: record.item });
        logged.add(record.item.id);
        removed.delete(record.item.id);
        break;
      case "remove":
        items.delete(record.id);
        logged.delete(record.id);
        removed.add(record.id);
        break;
      case "vector": {
        const known = items.get(record.id);
        const { embedder, vector } = record;
        if (known) items.set(record.id, { ...known, embedded: { embedder, vector } });
        break;
      }
      default:
        assertNever(record);
    }
  }
  return { logged, removed };
}

interface ReadLog extends SegmentLogContents {
  readonly stamp: string;
}

const NO_LOG: SegmentLogContents = { records: [], end: 0, damaged: 0 };

/** Reads a log. The file's size shows that most logs are empty, without reading. */
async function readLog(file: string): Promise<ReadLog> {
  const stat = await fs.lstat(file).catch(() => undefined);
  if (stat?.isFile() && stat.size <= LOG_MAGIC.length) return { ...NO_LOG, stamp: statStamp(stat) };
  try {
    const found = await readPlainFile(file, MAX_SEGMENT_BYTES);
    return { ...(found ? decodeLog(found.bytes) : NO_LOG), stamp: found?.stamp ?? "" };
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    return { ...NO_LOG, damaged: 1, stamp: await computeFileStamp(file) };
  }
}

interface ReadIndex {
  readonly name: string;
  readonly items: readonly ReadItem[];
  readonly foreign: number;
  readonly isDamaged: boolean;
  readonly isUnknown: boolean;
  readonly isOld: boolean;
}

/** Reads the index through Vectra. The index of 0.1.0 is read only if the new one isn't complete yet. */
async function readIndexFile(folder: string, stamps: readonly string[]): Promise<ReadIndex> {
  const [hasIndex, hasOld] = stamps.map((stamp) => stamp !== "");
  const name = hasIndex ? INDEX_FILE : OLD_INDEX_FILE;
  const read = {
    name,
    items: [],
    foreign: 0,
    isDamaged: false,
    isUnknown: false,
    isOld: hasOld === true,
  };
  if (!hasIndex && !hasOld) return read;
  try {
    const { isIntact, readIndex } = await import("./vectra-index.ts");
    const found = await readIndex(folder, name);
    if (!found) return { ...read, isUnknown: true };
    const intact = found.items.map(isIntact);
    const items = found.items.flatMap((item, place) => parseReadItem(item, intact[place] === true) ?? []);
    const foreign = found.items.filter((item, place) => intact[place] && !parseMemoryItem(item)).length;
    return { ...read, items, foreign, isDamaged: found.isDamaged || intact.includes(false) };
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    return { ...read, isDamaged: true };
  }
}

/** Parses a memory from an untrusted item, with its vector if the item is intact. */
function parseReadItem(found: FoundItem, isIntact: boolean): ReadItem | undefined {
  const item = parseMemoryItem(found);
  const { metadata, vector } = found;
  if (!item || !isObject(metadata)) return undefined;
  const unit = isIntact && Array.isArray(vector) ? computeUnitVector(vector) : undefined;
  const { embedder } = metadata;
  return unit && typeof embedder === "string" ? { item, embedded: { embedder, vector: unit } } : { item };
}

/** Parses a memory from an untrusted item; undefined for anything else. */
export function parseMemoryItem({ id, metadata }: FoundItem): MemoryItem | undefined {
  return isObject(metadata) ? readItem(id, metadata) : undefined;
}

/** A memory as an item of a Vectra index. */
export function createVectraItem(item: MemoryItem, { embedder, vector }: StoredVector): VectraItem {
  return { id: item.id, metadata: { ...createItemMetadata(item), embedder }, vector };
}
