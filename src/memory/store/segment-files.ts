import fs from "node:fs/promises";
import path from "node:path";
import { assertNever } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { fileStamp, readPlainFile, statStamp } from "./durable-file.ts";
import { type MemoryItem, readItem } from "./memory-item.ts";
import type { StoredVector } from "./memory-store.ts";
import { INDEX_FILE, OLD_INDEX_FILE, SEGMENT_LOG_FILE } from "./segment-names.ts";
import { decodeLog, LOG_MAGIC, type SegmentLogContents } from "./segment-records.ts";
import { ItemPacker, type PackedPlace } from "./stored-item.ts";
import { unitOf } from "./stored-vector.ts";
import type { FoundItem, IndexMetadata, VectraItem } from "./vectra-index.ts";

/** A memory in a segment; without a vector until it is embedded. */
interface Stored {
  readonly id: string;
  readonly place: PackedPlace;
  readonly embedded?: StoredVector;
}

/** The contents of a segment's files, in a form that threads can hand over. */
export interface SegmentContents {
  readonly stored: readonly Stored[];
  /** The memories as JSON, each at its place. */
  readonly texts: Uint8Array<ArrayBuffer>;
  /** The ids of memories that the log holds. */
  readonly logged: readonly string[];
  /** The length of the undamaged log. */
  readonly logEnd: number;
  /** The files that can't be read completely. */
  readonly damaged: readonly string[];
  /** The number of items of other programs in the index. */
  readonly foreign: number;
  /** Why the index has to be written: it's of 0.1.0, or must not be: it's of a newer Vectra. */
  readonly format: "current" | "old" | "unknown";
  /** Changes whenever the files do. */
  readonly stamp: string;
}

/** Reads a segment's files: the index with the log applied to it. The log comes first, because a writer empties it last. */
export async function readSegment(folder: string): Promise<SegmentContents> {
  const log = await readLog(path.join(folder, SEGMENT_LOG_FILE));
  const index = await readIndexFile(folder);
  const items = new Map(index.items.map((one) => [one.item.id, one]));
  const logged = applyLog(log.records, items);
  return {
    ...packed([...items.values()]),
    logged: [...logged],
    logEnd: log.end,
    damaged: [...(index.isDamaged ? [index.name] : []), ...(log.damaged > 0 ? [SEGMENT_LOG_FILE] : [])],
    foreign: index.foreign,
    format: index.isUnknown ? "unknown" : index.isOld ? "old" : "current",
    stamp: [log.stamp, ...index.stamps].join(" "),
  };
}

/** A text that changes whenever a segment's files do. */
export async function segmentStamp(folder: string): Promise<string> {
  return [await fileStamp(path.join(folder, SEGMENT_LOG_FILE)), ...(await indexStamps(folder))].join(" ");
}

function indexStamps(folder: string): Promise<readonly string[]> {
  return Promise.all([INDEX_FILE, OLD_INDEX_FILE].map((name) => fileStamp(path.join(folder, name))));
}

interface ReadItem {
  readonly item: MemoryItem;
  readonly embedded?: StoredVector;
}

/** Returns the ids of the memories whose text the log holds. */
function applyLog(records: SegmentLogContents["records"], items: Map<string, ReadItem>): Set<string> {
  const logged = new Set<string>();
  for (const record of records) {
    switch (record.op) {
      case "put":
        items.set(record.item.id, { item: record.item });
        logged.add(record.item.id);
        break;
      case "remove":
        items.delete(record.id);
        logged.delete(record.id);
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
  return logged;
}

/** The memories in one buffer, their vectors in another. */
function packed(items: readonly ReadItem[]): Pick<SegmentContents, "stored" | "texts"> {
  const packer = new ItemPacker(items.length);
  const vectors = new Float32Array(
    items.reduce((sum, { embedded }) => sum + (embedded?.vector.length ?? 0), 0),
  );
  let at = 0;
  const stored = items.map(({ item, embedded }): Stored => {
    const place = packer.add(item);
    if (!embedded) return { id: item.id, place };
    const vector = vectors.subarray(at, at + embedded.vector.length);
    vector.set(embedded.vector);
    at += vector.length;
    return { id: item.id, place, embedded: { embedder: embedded.embedder, vector } };
  });
  return { stored, texts: packer.packed() };
}

interface ReadLog extends SegmentLogContents {
  readonly stamp: string;
}

const NO_LOG: SegmentLogContents = { records: [], end: 0, damaged: 0 };

/** Most logs are empty, and the file's size shows it without reading. */
async function readLog(file: string): Promise<ReadLog> {
  try {
    const stat = await fs.lstat(file).catch(() => undefined);
    if (stat?.isFile() && stat.size <= LOG_MAGIC.length) return { ...NO_LOG, stamp: statStamp(stat) };
    const found = await readPlainFile(file);
    return { ...(found ? decodeLog(found.bytes) : NO_LOG), stamp: found?.stamp ?? "" };
  } catch {
    return { ...NO_LOG, damaged: 1, stamp: await fileStamp(file) };
  }
}

interface ReadIndex {
  readonly name: string;
  readonly items: readonly ReadItem[];
  readonly foreign: number;
  readonly isDamaged: boolean;
  readonly isUnknown: boolean;
  readonly isOld: boolean;
  readonly stamps: readonly string[];
}

/** Reads the index through Vectra; the one of 0.1.0 only where the new one isn't complete yet. */
async function readIndexFile(folder: string): Promise<ReadIndex> {
  const stamps = await indexStamps(folder);
  const [hasIndex, hasOld] = stamps.map((stamp) => stamp !== "");
  const name = hasIndex ? INDEX_FILE : OLD_INDEX_FILE;
  const read = {
    name,
    items: [],
    foreign: 0,
    isDamaged: false,
    isUnknown: false,
    isOld: hasOld === true,
    stamps,
  };
  if (!hasIndex && !hasOld) return read;
  try {
    const { readIndex } = await import("./vectra-index.ts");
    const found = await readIndex(folder, name);
    if (!found) return { ...read, isUnknown: true };
    const items = found.flatMap((item) => readItemOf(item) ?? []);
    return { ...read, items, foreign: found.length - items.length };
  } catch {
    return { ...read, isDamaged: true };
  }
}

/** A memory and its vector in an item that any program may have written. */
function readItemOf(found: FoundItem): ReadItem | undefined {
  const item = memoryOf(found);
  const { metadata, vector } = found;
  if (!item || !isObject(metadata)) return undefined;
  const unit = Array.isArray(vector) ? unitOf(vector) : undefined;
  const { embedder } = metadata;
  return unit && typeof embedder === "string" ? { item, embedded: { embedder, vector: unit } } : { item };
}

/** The memory in an item that any program may have written; undefined for anything else. */
export function memoryOf({ id, metadata }: FoundItem): MemoryItem | undefined {
  return isObject(metadata) ? readItem(id, metadata) : undefined;
}

/** A memory as an item of a Vectra index. */
export function vectraItem(item: MemoryItem, { embedder, vector }: StoredVector): VectraItem {
  return { id: item.id, metadata: { ...metadataOf(item), embedder }, vector };
}

/** A memory as metadata, which Vectra's filters see. */
function metadataOf({ id: _, sources, ...fields }: MemoryItem): IndexMetadata {
  return { ...fields, ...(sources ? { sources: JSON.stringify(sources) } : {}) };
}
