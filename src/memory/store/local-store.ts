import fs from "node:fs/promises";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { displayText } from "../../texts/display-text.ts";
import type { Scored, WordMatch } from "../search/ranking.ts";
import { scaleToUnitVector } from "../search/vector-matrix.ts";
import { FolderLock } from "./folder-lock.ts";
import { FolderReader } from "./folder-reader.ts";
import { Inbox } from "./inbox.ts";
import { convertToDiskError, createOvertakenError, isNotWritable, MemoryError } from "./memory-error.ts";
import type { MemoryItem } from "./memory-item.ts";
import type { MemoryFilter, MemoryStore, MemoryStoreOptions, StoredItem } from "./memory-store.ts";
import { MemoryWriter } from "./memory-writer.ts";
import { FOLDER_FORMAT, type MemoryMetadata, readMeta, writeMeta } from "./meta-file.ts";
import type { PlacedMemories } from "./placed-memories.ts";
import { SegmentStore } from "./segment-store.ts";
import { createStoredItem } from "./stored-item.ts";
import { roundStoredVector } from "./stored-vector.ts";

const CLEARED = "cleared";
const SEGMENT_SIZE = 256;

/** Opens or creates the memory in a folder. Throws `MemoryError`; then nothing was changed. */
export async function openLocalStore(options: MemoryStoreOptions): Promise<MemoryStore> {
  try {
    await fs.mkdir(options.folder, { recursive: true, mode: 0o700 });
    if ((await fs.lstat(options.folder)).isSymbolicLink())
      throw new MemoryError(displayText("trouble.memoryFolderIsLink"));
    const meta = await readMeta(options.folder);
    const known = meta?.embedder === options.embedder ? meta.dimensions : undefined;
    const store = new LocalStore(options, options.dimensions ?? known);
    await store.start();
    return store;
  } catch (error) {
    throw convertToDiskError(error);
  }
}

/** The memories in a folder of files. One window writes them; the others read, and leave new memories in an inbox for it. */
class LocalStore implements MemoryStore {
  private readonly options: MemoryStoreOptions;
  private readonly segments: SegmentStore;
  private readonly inbox: Inbox;
  private readonly lock: FolderLock;
  private readonly reader: FolderReader;
  private writer: MemoryWriter | undefined;
  /** The folder isn't writable, and the user was notified. */
  private isReadOnly = false;

  constructor(options: MemoryStoreOptions, dimensions: number | undefined) {
    const { folder, worker } = options;
    this.options = options;
    this.segments = new SegmentStore(folder, worker, () => this.confirmWriting());
    this.inbox = new Inbox(folder);
    this.lock = new FolderLock(path.join(folder, "lock"));
    this.reader = new FolderReader(options, this.segments, this.inbox, dimensions);
  }

  /** Reads everything and starts to write if no other window does. The vectors of large memories are loaded in the background. */
  async start(): Promise<void> {
    try {
      await this.segments.wake();
      if (!(await this.tryToWrite())) await this.reader.readChanges();
    } catch (error) {
      await this.segments.endReading();
      throw error;
    }
  }

  get size(): number {
    return this.memories.index.size;
  }

  get embedded(): number {
    return this.memories.index.embedded;
  }

  get dimensions(): number | undefined {
    return this.memories.index.dimensions;
  }

  get isWriting(): boolean {
    return this.writer !== undefined;
  }

  measureBytes(): Promise<number> {
    return this.segments.measureBytes();
  }

  async get(id: string): Promise<MemoryItem | undefined> {
    return this.memories.index.get(id)?.item.read();
  }

  async *iterateAll(): AsyncIterable<MemoryItem> {
    for (const { item } of this.memories.index.iterateAll()) yield item.read();
  }

  async listNewest(count: number): Promise<readonly MemoryItem[]> {
    const newestFirst = [...this.memories.index.iterateAll()].toReversed();
    return newestFirst.slice(0, count).map(({ item }) => item.read());
  }

  findNearest(vector: Float32Array, count: number, filter?: MemoryFilter): Promise<readonly Scored<StoredItem>[]> {
    return this.memories.index.findNearest(vector, count, filter);
  }

  findWithWords(query: string, count: number, filter?: MemoryFilter): Promise<readonly WordMatch<StoredItem>[]> {
    return this.memories.index.findWithWords(query, count, filter);
  }

  computeSimilarity(one: StoredItem, other: StoredItem): number {
    return this.memories.index.computeSimilarity(one, other);
  }

  async add(items: readonly MemoryItem[]): Promise<void> {
    const writer = await this.findCurrentWriter();
    await writer?.add(items);
    // A window that was stopped for a while may have written it too late.
    if (writer && (await this.findCurrentWriter())) return;
    await this.handOver(items);
  }

  /** Leaves memories to the writing window, including ones that this window already knows: they may have been removed since. */
  private async handOver(items: readonly MemoryItem[]): Promise<void> {
    if (items.length > 0) await this.inbox.leave(items);
    for (const item of items) {
      if (!this.memories.index.get(item.id)) this.memories.put(createStoredItem(item), undefined);
    }
  }

  async listWithoutVector(count: number, isWanted: (item: StoredItem) => boolean): Promise<readonly StoredItem[]> {
    await this.reader.vectors;
    const waiting = this.memories.index.listWithoutVector(
      count,
      ({ item, home }) => (this.isWriting || !home) && isWanted(item),
    );
    return waiting.map(({ item }) => item);
  }

  async embed(vectors: ReadonlyMap<string, Float32Array>): Promise<readonly string[]> {
    const { embedder } = this.options;
    const writer = await this.findCurrentWriter();
    const { index } = this.memories;
    const found = [...vectors].flatMap(([id, vector]) => {
      const entry = index.get(id);
      const unit = scaleToUnitVector(vector);
      return entry ? [{ entry, embedder, vector: unit ? roundStoredVector(unit) : vector }] : [];
    });
    const { fitting = [], unfit = [] } = Object.groupBy(found, (one) =>
      index.canCompareVector(one) ? "fitting" : "unfit",
    );
    const first = index.dimensions === undefined && fitting.length > 0;
    for (const { entry, ...embedded } of fitting) {
      if (!writer || !entry.home) index.embed(entry.item.id, embedded);
    }
    await writer?.embed(fitting.filter(({ entry }) => entry.home));
    if (first && writer) await this.describe();
    return unfit.map(({ entry }) => entry.item.id);
  }

  async remove(ids: readonly string[]): Promise<void> {
    await (await this.requireWriter()).remove(ids);
    await this.requireWriter();
  }

  async clear(): Promise<() => Promise<void>> {
    await this.reader.vectors;
    await (await this.requireWriter()).close();
    const target = path.join(this.options.folder, CLEARED, String(Date.now()));
    try {
      await fs.mkdir(target, { recursive: true, mode: 0o700 });
      await this.segments.moveTo(target).catch(async (error: unknown) => {
        for await (const change of this.segments.moveBack(target)) await this.reader.load(change);
        throw error;
      });
      this.reader.forget();
    } finally {
      this.writer = this.createWriter();
    }
    return async () => {
      await this.requireWriter();
      for await (const change of this.segments.moveBack(target)) await this.reader.load(change);
    };
  }

  /** Writes full segments into their Vectra indexes once all their memories have vectors. */
  async compact(): Promise<void> {
    await this.reader.vectors;
    await (await this.findCurrentWriter())?.fold();
  }

  /** Sends a heartbeat, or reads the writing window's changes. */
  async refresh(): Promise<void> {
    if (!this.writer) {
      if (!(await this.tryToWrite())) await this.reader.readChanges();
      return;
    }
    const writer = await this.findCurrentWriter(true);
    if (!writer) return;
    void this.memories.index.indexWords();
    await this.collect();
    await writer.sync();
    await this.reader.vectors;
    await writer.fold(true);
  }

  async close(): Promise<void> {
    await this.reader.close();
    try {
      if (!(await this.findCurrentWriter())) return;
      await this.writer?.fold(true);
      await fs.rm(path.join(this.options.folder, CLEARED), { recursive: true, force: true });
    } finally {
      await this.stopWriting();
    }
  }

  private get memories(): PlacedMemories {
    return this.reader.memories;
  }

  private createWriter(): MemoryWriter {
    const { segmentSize = SEGMENT_SIZE, isProven } = this.options;
    return new MemoryWriter(this.segments, this.memories, segmentSize, isProven);
  }

  private async stopWriting(): Promise<void> {
    await this.writer?.close();
    await this.lock.release();
  }

  /** Collects memories left by other windows. */
  private async collect(): Promise<void> {
    const damaged = await this.inbox.collect(async (items) => {
      const writer = await this.requireWriter();
      await writer.add(items);
      await writer.sync();
      await this.requireWriter();
    });
    if (damaged > 0) this.options.notice(displayText("trouble.memoryDamaged", { segment: "inbox" }));
  }

  private async confirmWriting(): Promise<void> {
    if (!(await this.lock.isHeld())) throw createOvertakenError();
  }

  /** The writer, if this window still holds the lock. */
  private async findCurrentWriter(beat = false): Promise<MemoryWriter | undefined> {
    const { writer } = this;
    if (!writer || (await (beat ? this.lock.beat() : this.lock.isStillHeld()))) return writer;
    if (this.writer === writer) {
      this.writer = undefined;
      this.options.notice(displayText("trouble.memoryTakenOver"));
    }
    await writer.close();
    return undefined;
  }

  private async requireWriter(): Promise<MemoryWriter> {
    const writer = await this.findCurrentWriter();
    if (writer) return writer;
    throw new MemoryError(displayText("trouble.memoryInUse"));
  }

  /** Takes the lock, reads all changes and starts to write. Returns false if another window holds the lock. */
  private async tryToWrite(): Promise<boolean> {
    if (!(await this.takeLock())) return false;
    const { folder } = this.options;
    try {
      const described = await readMeta(folder);
      await this.segments.sweep();
      await fs.rm(path.join(folder, CLEARED), { recursive: true, force: true });
      await this.reader.readChanges(true);
      await this.describe(described);
      this.writer = this.createWriter();
      await this.collect();
      return true;
    } catch (error) {
      await this.stopWriting();
      this.writer = undefined;
      throw error;
    }
  }

  /** Takes the lock. A folder that can't be written is only read. */
  private async takeLock(): Promise<boolean> {
    try {
      return (await this.lock.take()) === undefined;
    } catch (error) {
      if (!isNotWritable(error)) throw error;
      if (!this.isReadOnly) this.options.notice(displayText("trouble.memoryReadOnly"));
      this.isReadOnly = true;
      return false;
    }
  }

  /** Writes meta.json if it's out of date. */
  private async describe(described?: MemoryMetadata): Promise<void> {
    const { embedder, folder } = this.options;
    const { dimensions } = this;
    const meta = { format: FOLDER_FORMAT, embedder, ...(dimensions ? { dimensions } : {}) };
    if (!isDeepStrictEqual(meta, described)) await writeMeta(folder, meta, () => this.confirmWriting());
  }
}
