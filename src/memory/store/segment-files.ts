import fs from "node:fs/promises";
import path from "node:path";
import { assertNever } from "../../core/base/errors.ts";
import { fileStamp, type ReadBuffer, readPlainFile, statStamp } from "./durable-file.ts";
import { decodeIndex, type IndexedItem } from "./index-codec.ts";
import { type MemoryItem, readItem } from "./memory-item.ts";
import type { StoredItem, StoredVector } from "./memory-store.ts";
import { decodeLog, LOG_MAGIC, type SegmentLogContents } from "./segment-log.ts";
import { IndexedMemory, storedItem } from "./stored-item.ts";
import type { VectraItem } from "./vectra-index.ts";

export const SEGMENT_LOG_FILE = "wal.log";
export const SEGMENT_INDEX_FILE = "index.pb";

/** A memory in a segment; without a vector until it is embedded. */
interface Stored {
  readonly item: StoredItem;
  readonly embedded?: StoredVector;
}

/** The contents of a segment's files. */
export interface SegmentContents {
  readonly stored: ReadonlyMap<string, Stored>;
  /** The length of the undamaged log. */
  readonly logEnd: number;
  /** The files that can't be read completely. */
  readonly damaged: readonly string[];
  /** Changes whenever the files do. */
  readonly stamp: string;
}

/** A segment's files on disk; `bytes` is undefined if a file is missing or can't be read. */
export interface SegmentBytes {
  readonly log: FileBytes;
  readonly index: FileBytes;
}

interface FileBytes {
  readonly bytes?: Buffer;
  readonly stamp: string;
  readonly unreadable?: true;
}

/** Reads a segment's files. The log comes first, because a writer empties it last. The index is valid until the buffer is reused. */
export async function readSegment(folder: string, buffer?: ReadBuffer): Promise<SegmentBytes> {
  const log = await logBytes(path.join(folder, SEGMENT_LOG_FILE));
  return { log, index: await bytesOf(path.join(folder, SEGMENT_INDEX_FILE), buffer) };
}

/** The memories in a segment's files: the index with the log applied to it. The vectors share the files' memory. */
export function segmentContents(files: SegmentBytes): SegmentContents {
  const log = logOf(files.log);
  const index = indexOf(files.index);
  const stored = new Map(index.entries.map((entry) => [entry.item.id, entry]));
  for (const record of log.records) {
    switch (record.op) {
      case "put":
        stored.set(record.item.id, { item: storedItem(record.item) });
        break;
      case "remove":
        stored.delete(record.id);
        break;
      case "vector": {
        const known = stored.get(record.id);
        const { embedder, vector } = record;
        if (known) stored.set(record.id, { ...known, embedded: { embedder, vector } });
        break;
      }
      default:
        assertNever(record);
    }
  }
  return {
    stored,
    logEnd: log.end,
    damaged: [...(index.damaged ? [SEGMENT_INDEX_FILE] : []), ...(log.damaged > 0 ? [SEGMENT_LOG_FILE] : [])],
    stamp: `${files.log.stamp} ${files.index.stamp}`,
  };
}

/** A text that changes whenever a segment's files do. */
export async function segmentStamp(folder: string): Promise<string> {
  const stamps = [SEGMENT_LOG_FILE, SEGMENT_INDEX_FILE].map((name) => fileStamp(path.join(folder, name)));
  return (await Promise.all(stamps)).join(" ");
}

/** Most logs are empty, and the file's size shows it without reading. */
async function logBytes(file: string): Promise<FileBytes> {
  const stat = await fs.lstat(file).catch(() => undefined);
  if (!stat?.isFile() || stat.size > LOG_MAGIC.length) return bytesOf(file);
  return { stamp: statStamp(stat) };
}

async function bytesOf(file: string, buffer?: ReadBuffer): Promise<FileBytes> {
  try {
    return (await readPlainFile(file, buffer)) ?? { stamp: "" };
  } catch {
    return { stamp: await fileStamp(file), unreadable: true };
  }
}

const NO_LOG: SegmentLogContents = { records: [], end: 0, damaged: 0 };

function logOf({ bytes, unreadable }: FileBytes): SegmentLogContents {
  if (unreadable) return { ...NO_LOG, damaged: 1 };
  if (!bytes) return NO_LOG;
  try {
    return decodeLog(bytes);
  } catch {
    return { ...NO_LOG, damaged: 1 };
  }
}

interface IndexEntries {
  readonly entries: readonly Stored[];
  readonly damaged: boolean;
}

function indexOf({ bytes, unreadable }: FileBytes): IndexEntries {
  if (!bytes) return { entries: [], damaged: unreadable === true };
  try {
    const { items, embedder } = decodeIndex(bytes);
    const kept = copyMetadata(bytes, items);
    const entries = kept.flatMap((item, place): readonly Stored[] => {
      const vector = items[place]?.vector ?? new Float32Array(0);
      return embedder === undefined ? checkedItem(item, vector) : [{ item, embedded: { embedder, vector } }];
    });
    return { entries, damaged: false };
  } catch {
    return { entries: [], damaged: true };
  }
}

/** Copies the items' metadata, without the vectors between them, into one buffer. */
function copyMetadata(bytes: Buffer, items: readonly IndexedItem[]): readonly IndexedMemory[] {
  const kept = Buffer.allocUnsafeSlow(items.reduce((sum, { start, end }) => sum + end - start, 0));
  let at = 0;
  return items.map((item) => {
    const start = at;
    at += bytes.copy(kept, at, item.start, item.end);
    return new IndexedMemory(item.id, kept, start, at);
  });
}

/** An item that another program may have written: it must be a valid memory. */
function checkedItem(item: IndexedMemory, vector: Float32Array): readonly Stored[] {
  const metadata = item.metadata();
  if (!readItem(item.id, metadata)) return [];
  const { embedder } = metadata;
  return [typeof embedder === "string" ? { item, embedded: { embedder, vector } } : { item }];
}

/** A memory as an item of a Vectra index. */
export function vectraItem(
  { id, sources, ...fields }: MemoryItem,
  { embedder, vector }: StoredVector,
): VectraItem {
  const from = sources ? { sources: JSON.stringify(sources) } : {};
  return { id, metadata: { ...fields, ...from, embedder }, vector };
}
