import fs from "node:fs/promises";
import path from "node:path";
import { setImmediate as untilIdle } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { displayText, sentences } from "../../texts/display-text.ts";
import type { Scored, WordMatch } from "../search/ranking.ts";
import { unitVector } from "../search/vector-matrix.ts";
import { FolderLock } from "./folder-lock.ts";
import { Inbox } from "./inbox.ts";
import { diskError, MemoryError } from "./memory-error.ts";
import type { MemoryItem } from "./memory-item.ts";
import type { MemoryFilter, MemoryStore, MemoryStoreOptions, StoredItem } from "./memory-store.ts";
import { MemoryWriter } from "./memory-writer.ts";
import { FOLDER_FORMAT, type MemoryMetadata, readMeta, writeMeta } from "./meta-file.ts";
import { PlacedMemories } from "./placed-memories.ts";
import { type SegmentChange, SegmentStore } from "./segment-store.ts";
import { storedItem } from "./stored-item.ts";
import { storedVector } from "./stored-vector.ts";

const CLEARED = "cleared";
const SEGMENT_SIZE = 256;

/** Opens or creates the memory in a folder. Throws `MemoryError`; then nothing was changed. */
export async function openLocalStore(options: MemoryStoreOptions): Promise<MemoryStore> {
  try {
    await fs.mkdir(options.folder, { recursive: true, mode: 0o700 });
    if ((await fs.lstat(options.folder)).isSymbolicLink())
      throw new MemoryError(displayText("trouble.memoryFolderIsLink"));
    const meta = await readMeta(options.folder);
    const store = new LocalStore(options, meta?.embedder === options.embedder ? meta.dimensions : undefined);
    await store.start();
    return store;
  } catch (error) {
    throw diskError(error);
  }
}

/** The memories in a folder of files. One window writes them; the others read, and leave new memories in an inbox for it. */
class LocalStore implements MemoryStore {
  private readonly options: MemoryStoreOptions;
  private readonly segments: SegmentStore;
  private readonly inbox: Inbox;
  private readonly lock: FolderLock;
  private memories: PlacedMemories;
  /** The segments with something of other programs, which is reported once. */
  private readonly reported = new Set<string>();
  private writer: MemoryWriter | undefined;
  /** Resolves once all vectors are read. */
  private loading = Promise.resolve();
  private isClosed = false;

  constructor(options: MemoryStoreOptions, dimensions: number | undefined) {
    const { folder, embedder } = options;
    this.options = options;
    this.segments = new SegmentStore(folder, options.worker);
    this.inbox = new Inbox(folder);
    this.lock = new FolderLock(path.join(folder, "lock"));
    this.memories = new PlacedMemories(embedder, dimensions);
  }

  /** Reads everything but the vectors of large memories, which come in the background, and writes if no other window does. */
  async start(): Promise<void> {
    if (!(await this.tryToWrite())) await this.readChanges();
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

  bytes(): Promise<number> {
    return this.segments.bytes();
  }

  async get(id: string): Promise<MemoryItem | undefined> {
    return this.memories.index.get(id)?.item.read();
  }

  async *all(): AsyncIterable<MemoryItem> {
    for (const { item } of this.memories.index.all()) yield item.read();
  }

  async newest(count: number): Promise<readonly MemoryItem[]> {
    const newestFirst = [...this.memories.index.all()].toReversed();
    return newestFirst.slice(0, count).map(({ item }) => item.read());
  }

  nearest(
    vector: Float32Array,
    count: number,
    filter?: MemoryFilter,
  ): Promise<readonly Scored<StoredItem>[]> {
    return this.memories.index.nearest(vector, count, filter);
  }

  withWords(query: string, count: number, filter?: MemoryFilter): Promise<readonly WordMatch<StoredItem>[]> {
    return this.memories.index.withWords(query, count, filter);
  }

  similarity(one: StoredItem, other: StoredItem): number {
    return this.memories.index.similarity(one, other);
  }

  async add(items: readonly MemoryItem[]): Promise<void> {
    const writer = await this.currentWriter();
    if (writer) return writer.add(items);
    const fresh = items.filter(({ id }) => !this.memories.index.get(id));
    if (fresh.length > 0) await this.inbox.leave(fresh);
    for (const item of fresh) this.memories.put(storedItem(item), undefined);
  }

  async withoutVector(
    count: number,
    isWanted: (item: StoredItem) => boolean,
  ): Promise<readonly StoredItem[]> {
    await this.loading;
    const waiting = this.memories.index.withoutVector(
      count,
      ({ item, home }) => (this.isWriting || !home) && isWanted(item),
    );
    return waiting.map(({ item }) => item);
  }

  async embed(vectors: ReadonlyMap<string, Float32Array>): Promise<readonly string[]> {
    const { embedder } = this.options;
    const writer = await this.currentWriter();
    const { index } = this.memories;
    const found = [...vectors].flatMap(([id, vector]) => {
      const entry = index.get(id);
      const unit = unitVector(vector);
      return entry ? [{ entry, embedder, vector: unit ? storedVector(unit) : vector }] : [];
    });
    const { fitting = [], unfit = [] } = Object.groupBy(found, (one) =>
      index.fits(one) ? "fitting" : "unfit",
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
  }

  async clear(): Promise<() => Promise<void>> {
    await this.loading;
    await (await this.requireWriter()).close();
    const { folder, embedder } = this.options;
    const target = path.join(folder, CLEARED, String(Date.now()));
    try {
      await this.segments.moveTo(target);
      this.memories.index.close();
      this.memories = new PlacedMemories(embedder, this.dimensions);
    } finally {
      this.writer = this.newWriter();
    }
    return async () => {
      await this.requireWriter();
      for await (const change of this.segments.moveBack(target)) await this.load(change);
    };
  }

  /** Writes full segments into their Vectra indexes once all their memories have vectors. */
  async compact(): Promise<void> {
    await this.loading;
    await (await this.currentWriter())?.fold();
  }

  /** Shows that this window is alive, or takes in what the writing one has written. */
  async refresh(): Promise<void> {
    if (!this.writer) {
      if (!(await this.tryToWrite())) await this.readChanges();
      return;
    }
    const writer = await this.currentWriter(true);
    if (!writer) return;
    void this.memories.index.indexWords();
    await this.inbox.collect((items) => this.add(items));
    await writer.sync();
    await this.loading;
    await writer.fold(true);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.memories.index.close();
    await this.loading;
    try {
      if (!(await this.currentWriter())) return;
      await this.writer?.fold(true);
      await fs.rm(path.join(this.options.folder, CLEARED), { recursive: true, force: true });
    } finally {
      await this.stopWriting();
    }
  }

  private newWriter(): MemoryWriter {
    return new MemoryWriter(this.segments, this.memories, this.options.segmentSize ?? SEGMENT_SIZE);
  }

  private async stopWriting(): Promise<void> {
    await this.writer?.close();
    await this.lock.release();
  }

  /** The writer, if this window still holds the lock. */
  private async currentWriter(beat = false): Promise<MemoryWriter | undefined> {
    const { writer } = this;
    if (!writer || (await (beat ? this.lock.beat() : this.lock.stillHeld()))) return writer;
    if (this.writer === writer) {
      this.writer = undefined;
      this.options.notice(displayText("trouble.memoryTakenOver"));
    }
    await writer.close();
    return undefined;
  }

  private async requireWriter(): Promise<MemoryWriter> {
    const writer = await this.currentWriter();
    if (writer) return writer;
    throw new MemoryError(displayText("trouble.memoryInUse"));
  }

  /** Takes the lock, brings everything up to date and starts to write; false when another window holds it. */
  private async tryToWrite(): Promise<boolean> {
    if (await this.lock.take()) return false;
    const { folder } = this.options;
    try {
      const described = await readMeta(folder);
      await this.segments.sweep();
      await fs.rm(path.join(folder, CLEARED), { recursive: true, force: true });
      await this.readChanges(true);
      await this.describe(described);
      this.writer = this.newWriter();
      await this.inbox.collect((items) => this.add(items));
      return true;
    } catch (error) {
      await this.stopWriting();
      this.writer = undefined;
      throw error;
    }
  }

  /** Writes meta.json, unless it's up to date. */
  private async describe(described?: MemoryMetadata): Promise<void> {
    const { embedder, folder } = this.options;
    const { dimensions } = this;
    const meta = { format: FOLDER_FORMAT, embedder, ...(dimensions ? { dimensions } : {}) };
    if (!isDeepStrictEqual(meta, described)) await writeMeta(folder, meta);
  }

  /** Reads what is new on disk. The inbox comes first, because its memories move to the segments later. */
  private async readChanges(repairing = false): Promise<void> {
    const before = this.memories.handedOver();
    const handedOver = await this.inbox.peek();
    const removeAll = ({ ids }: { ids: Set<string> }) => {
      for (const id of [...ids]) this.memories.remove(id);
    };
    await this.loading;
    const unvectored: SegmentChange[] = [];
    for await (const change of this.segments.changes(removeAll, repairing ? "write" : "read")) {
      await this.load(change);
      if (!change.contents.vectors) unvectored.push(change);
      if (change.contents.damaged.length > 0) await this.reportDamage(change, repairing);
      this.reportOthers(change);
    }
    this.updateHandedOver(handedOver, before);
    this.loading = this.loadVectors(unvectored);
    void this.loading.then(() => this.memories.index.indexWords());
  }

  /** Takes in the vectors that are read after everything else, so that words are found at once. */
  private async loadVectors(changes: readonly SegmentChange[]): Promise<void> {
    const { memories } = this;
    try {
      for await (const { segment, contents } of this.segments.vectors(changes)) {
        if (this.isClosed) return;
        memories.loadVectors(segment, contents);
        await untilIdle();
      }
    } catch (error) {
      this.options.notice(diskError(error).message);
    } finally {
      const rest = this.isClosed ? [] : changes;
      for (const { segment } of rest) for (const id of segment.ids) memories.index.awaitNoLonger(id);
    }
  }

  private async load({ segment, contents }: SegmentChange): Promise<void> {
    await untilIdle();
    segment.found(contents);
    this.memories.load(segment, contents);
    await untilIdle();
  }

  /** A memory that left the inbox without reaching a segment was removed by the writing window. */
  private updateHandedOver(
    handedOver: readonly MemoryItem[],
    before: ReturnType<PlacedMemories["handedOver"]>,
  ): void {
    const { index } = this.memories;
    const waiting = new Set(handedOver.map(({ id }) => id));
    for (const entry of before) {
      const { id } = entry.item;
      if (!waiting.has(id) && index.get(id) === entry) this.memories.remove(id);
    }
    for (const item of handedOver) if (!index.get(item.id)) this.memories.put(storedItem(item), undefined);
  }

  /** Says once what other programs wrote into a segment. */
  private reportOthers({ segment: { name }, contents }: SegmentChange): void {
    const { foreign: count, format } = contents;
    if (this.reported.has(name) || (count === 0 && format !== "unknown")) return;
    this.reported.add(name);
    this.options.notice(
      format === "unknown"
        ? displayText("trouble.memoryIndexUnknown", { segment: name })
        : displayText("trouble.memoryForeignItems", { segment: name, count }),
    );
  }

  private async reportDamage(change: SegmentChange, repairing: boolean): Promise<void> {
    const damage = displayText("trouble.memoryDamaged", { segment: change.segment.name });
    if (!repairing) return this.options.notice(damage);
    change.segment.dirty = true;
    this.options.notice(
      sentences(
        damage,
        displayText("trouble.damagedFilesAt", { folder: await this.segments.setAside(change) }),
      ),
    );
  }
}
