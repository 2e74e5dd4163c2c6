import path from "node:path";
import { fileStamp, readPlainFile } from "./durable-file.ts";
import { decodeIndex } from "./index-file.ts";
import { decodeLog, LOG_MAGIC, type LogContents } from "./log-record.ts";
import { type MemoryItem, readItem } from "./memory-item.ts";
import type { ReadBuffer } from "./read-buffer.ts";
import type { VectraItem } from "./vectra-index.ts";

export const LOG_FILE = "wal.log";
export const INDEX_FILE = "index.pb";

/** A memory as a segment keeps it; without a vector as long as it has not been embedded. */
export interface Stored {
  readonly item: MemoryItem;
  readonly embedded?: Embedded;
}

export interface Embedded {
  readonly embedder: string;
  readonly vector: Float32Array;
}

/** What a segment's files hold. */
export interface SegmentContents {
  readonly stored: ReadonlyMap<string, Stored>;
  /** The log is good up to here. */
  readonly logEnd: number;
  /** The files that cannot be read, in whole or in part. */
  readonly damaged: readonly string[];
  /** Changes whenever the files do. */
  readonly stamp: string;
}

/** A segment's files as they lie on disk; undefined bytes: there is none, or it cannot be read. */
export interface SegmentBytes {
  readonly log: FileBytes;
  readonly index: FileBytes;
}

interface FileBytes {
  readonly bytes?: Buffer;
  readonly stamp: string;
  readonly unreadable?: true;
}

/** Reads a segment's files. The log comes first, as a writer empties it last. The index lies in the buffer, as long as nothing else is read into it. */
export async function readSegment(folder: string, buffer?: ReadBuffer): Promise<SegmentBytes> {
  const log = await bytesOf(path.join(folder, LOG_FILE));
  return { log, index: await bytesOf(path.join(folder, INDEX_FILE), buffer) };
}

/** What a segment's files say: its index with its log on top. The vectors lie where the files do. */
export function segmentContents(files: SegmentBytes): SegmentContents {
  const log = logOf(files.log);
  const index = indexOf(files.index);
  const stored = new Map(index.entries.map((entry) => [entry.item.id, entry]));
  for (const record of log.records) {
    if (record.op === "put") stored.set(record.item.id, { item: record.item });
    else if (record.op === "remove") stored.delete(record.id);
    else {
      const known = stored.get(record.id);
      const { embedder, vector } = record;
      if (known) stored.set(record.id, { ...known, embedded: { embedder, vector } });
    }
  }
  return {
    stored,
    logEnd: log.end,
    damaged: [...(index.damaged ? [INDEX_FILE] : []), ...(log.damaged > 0 ? [LOG_FILE] : [])],
    stamp: `${files.log.stamp} ${files.index.stamp}`,
  };
}

/** A text that differs once the files of a segment do. */
export async function segmentStamp(folder: string): Promise<string> {
  const stamps = [LOG_FILE, INDEX_FILE].map((name) => fileStamp(path.join(folder, name)));
  return (await Promise.all(stamps)).join(" ");
}

async function bytesOf(file: string, buffer?: ReadBuffer): Promise<FileBytes> {
  try {
    return (await readPlainFile(file, buffer)) ?? { stamp: "" };
  } catch {
    return { stamp: await fileStamp(file), unreadable: true };
  }
}

const NO_LOG: LogContents = { records: [], end: 0, damaged: 0 };

function logOf({ bytes, unreadable }: FileBytes): LogContents {
  if (unreadable) return { ...NO_LOG, damaged: 1 };
  if (!bytes || bytes.length < LOG_MAGIC.length) return NO_LOG;
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
    const entries = decodeIndex(bytes).items.flatMap(({ id, metadata, vector }): Stored[] => {
      const item = readItem(id, metadata);
      const { embedder } = metadata;
      if (!item) return [];
      return [typeof embedder === "string" ? { item, embedded: { embedder, vector } } : { item }];
    });
    return { entries, damaged: false };
  } catch {
    return { entries: [], damaged: true };
  }
}

/** A memory as an item of a Vectra index. */
export function vectraItem({ item, embedded }: Stored & { readonly embedded: Embedded }): VectraItem {
  const { id, ...fields } = item;
  return { id, metadata: { ...fields, embedder: embedded.embedder }, vector: embedded.vector };
}
