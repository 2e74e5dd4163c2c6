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

/**
 * Reads a segment: its index with its log on top. The log comes first, as a writer empties it last. The vectors lie in
 * the buffer, and are good as long as nothing else is read into it.
 */
export async function readSegment(folder: string, buffer?: ReadBuffer): Promise<SegmentContents> {
  const log = await readLog(path.join(folder, LOG_FILE));
  const index = await readIndex(path.join(folder, INDEX_FILE), buffer);
  const stored = new Map(index.entries.map((entry) => [entry.item.id, entry]));
  for (const record of log.contents.records) {
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
    logEnd: log.contents.end,
    damaged: [...(index.damaged ? [INDEX_FILE] : []), ...(log.contents.damaged > 0 ? [LOG_FILE] : [])],
    stamp: `${log.stamp} ${index.stamp}`,
  };
}

/** A text that differs once the files of a segment do. */
export async function segmentStamp(folder: string): Promise<string> {
  const stamps = [LOG_FILE, INDEX_FILE].map((name) => fileStamp(path.join(folder, name)));
  return (await Promise.all(stamps)).join(" ");
}

const NO_LOG: LogContents = { records: [], end: 0, damaged: 0 };

async function readLog(file: string): Promise<{ readonly contents: LogContents; readonly stamp: string }> {
  try {
    const found = await readPlainFile(file);
    if (!found) return { contents: NO_LOG, stamp: "" };
    const { bytes, stamp } = found;
    return { contents: bytes.length < LOG_MAGIC.length ? NO_LOG : decodeLog(bytes), stamp };
  } catch {
    return { contents: { ...NO_LOG, damaged: 1 }, stamp: await fileStamp(file) };
  }
}

interface IndexEntries {
  readonly entries: readonly Stored[];
  readonly damaged: boolean;
  readonly stamp: string;
}

async function readIndex(file: string, buffer: ReadBuffer | undefined): Promise<IndexEntries> {
  try {
    const found = await readPlainFile(file, buffer);
    if (!found) return { entries: [], damaged: false, stamp: "" };
    const entries = decodeIndex(found.bytes).items.flatMap(({ id, metadata, vector }): Stored[] => {
      const item = readItem(id, metadata);
      const { embedder } = metadata;
      if (!item) return [];
      return [typeof embedder === "string" ? { item, embedded: { embedder, vector } } : { item }];
    });
    return { entries, damaged: false, stamp: found.stamp };
  } catch {
    return { entries: [], damaged: true, stamp: await fileStamp(file) };
  }
}

/** A memory as an item of a Vectra index. */
export function vectraItem({ item, embedded }: Stored & { readonly embedded: Embedded }): VectraItem {
  const { id, ...fields } = item;
  return { id, metadata: { ...fields, embedder: embedded.embedder }, vector: embedded.vector };
}
