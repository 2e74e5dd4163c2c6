import fs from "node:fs/promises";
import path from "node:path";
import { readPlainFile } from "./durable-file.ts";
import { decodeIndex } from "./index-file.ts";
import { decodeLog, LOG_MAGIC, type LogContents } from "./log-record.ts";
import { type MemoryItem, readItem } from "./memory-item.ts";
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

/** Reads a segment: its index with its log on top. The log comes first, as a writer empties it last. */
export async function readSegment(folder: string): Promise<SegmentContents> {
  const stamp = await segmentStamp(folder);
  const log = await readLog(path.join(folder, LOG_FILE));
  const index = await readIndex(path.join(folder, INDEX_FILE));
  const stored = new Map(index?.map((entry) => [entry.item.id, entry]));
  for (const record of log?.records ?? []) {
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
    logEnd: log?.end ?? 0,
    damaged: [...(index ? [] : [INDEX_FILE]), ...(log && log.damaged === 0 ? [] : [LOG_FILE])],
    stamp,
  };
}

/** A text that differs once the files of a segment do. */
export async function segmentStamp(folder: string): Promise<string> {
  const parts = [LOG_FILE, INDEX_FILE].map(async (name) => {
    const stat = await fs.lstat(path.join(folder, name)).catch(() => undefined);
    return stat ? `${stat.ino}-${stat.size}-${stat.mtimeMs}` : "";
  });
  return (await Promise.all(parts)).join(" ");
}

const NO_LOG: LogContents = { records: [], end: 0, damaged: 0 };

/** Undefined when it cannot be read at all. */
async function readLog(file: string): Promise<LogContents | undefined> {
  try {
    const bytes = await readPlainFile(file);
    return bytes && bytes.length >= LOG_MAGIC.length ? decodeLog(bytes) : NO_LOG;
  } catch {
    return undefined;
  }
}

/** Undefined when it cannot be read. */
async function readIndex(file: string): Promise<Stored[] | undefined> {
  try {
    const bytes = await readPlainFile(file);
    if (!bytes) return [];
    return decodeIndex(bytes).items.flatMap(({ id, metadata, vector }) => {
      const item = readItem({ ...metadata, id });
      const { embedder } = metadata;
      if (!item) return [];
      return [typeof embedder === "string" ? { item, embedded: { embedder, vector } } : { item }];
    });
  } catch {
    return undefined;
  }
}

/** A memory as an item of a Vectra index. */
export function vectraItem({ item, embedded }: Stored & { readonly embedded: Embedded }): VectraItem {
  const { id, ...fields } = item;
  return { id, metadata: { ...fields, embedder: embedded.embedder }, vector: embedded.vector };
}
