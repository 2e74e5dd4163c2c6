import fs from "node:fs/promises";
import path from "node:path";
import { setImmediate as untilIdle } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { type MemoryEntry, MemoryIndex } from "../search/memory-index.ts";
import { FolderLock } from "./folder-lock.ts";
import { Inbox } from "./inbox.ts";
import { diskError, MemoryError } from "./memory-error.ts";
import type { MemoryItem } from "./memory-item.ts";
import { MemoryWriter } from "./memory-writer.ts";
import { FOLDER_FORMAT, type MemoryMetadata, readMeta, writeMeta } from "./meta-file.ts";
import { type SegmentChange, SegmentStore } from "./segment-store.ts";
import { storedItem } from "./stored-item.ts";

const CLEARED = "cleared";

/** How a memory folder is opened. */
export interface FolderOptions {
  readonly folder: string;
  /** The id of the embedder whose vectors it shall hold. */
  readonly embedder: string;
  /** Memories a segment, about. */
  readonly segmentSize: number;
  /** A sentence for the user. */
  notice(text: string): void;
}

/** All memories of a folder. One window writes them; the others read, and leave what is new in an inbox for it. */
export class MemoryFolder {
  private readonly options: FolderOptions;
  private readonly shelf: SegmentStore;
  private readonly inbox: Inbox;
  private readonly lock: FolderLock;
  private searched: MemoryIndex;
  private writer: MemoryWriter | undefined;

  private constructor(options: FolderOptions, dimensions: number | undefined) {
    const { folder, embedder } = options;
    this.options = options;
    this.shelf = new SegmentStore(folder);
    this.inbox = new Inbox(folder);
    this.lock = new FolderLock(path.join(folder, "lock"));
    this.searched = new MemoryIndex(embedder, dimensions);
  }

  /** Opens or begins a memory. Throws `MemoryError`; then nothing was changed. */
  static async open(options: FolderOptions): Promise<MemoryFolder> {
    try {
      await fs.mkdir(options.folder, { recursive: true, mode: 0o700 });
      if ((await fs.lstat(options.folder)).isSymbolicLink())
        throw new MemoryError(
          "The memory folder is a link to another place, so it is not used. Remove the link.",
        );
      const meta = await readMeta(options.folder);
      const dimensions = meta?.embedder === options.embedder ? meta.dimensions : undefined;
      const memory = new MemoryFolder(options, dimensions);
      if (!(await memory.tryToWrite())) await memory.refresh();
      return memory;
    } catch (error) {
      throw diskError(error);
    }
  }

  get index(): MemoryIndex {
    return this.searched;
  }

  get writing(): boolean {
    return this.writer !== undefined;
  }

  /** What the memory takes on disk. */
  bytes(): Promise<number> {
    return this.shelf.bytes();
  }

  /** Resolves once the items survive a crash of the program. Throws `MemoryError`; then none of them was added. */
  async add(items: readonly MemoryItem[]): Promise<void> {
    const writer = await this.mayWrite();
    if (writer) return writer.add(items);
    const fresh = items.filter(({ id }) => !this.searched.get(id));
    if (fresh.length > 0) await this.inbox.leave(fresh);
    for (const item of fresh) this.searched.put(storedItem(item), undefined);
  }

  /** Memories that wait for a vector and that this window is to embed. */
  waiting(count: number, wanted: (entry: MemoryEntry) => boolean): readonly MemoryEntry[] {
    return this.searched.waiting(count, (entry) => (this.writing || !entry.home) && wanted(entry));
  }

  /** Gives memories their vectors, those that are still there; the ones whose vector cannot stand beside the others. */
  async embed(vectors: ReadonlyMap<MemoryEntry, Float32Array>): Promise<readonly MemoryEntry[]> {
    const { embedder } = this.options;
    const writer = await this.mayWrite();
    const here = [...vectors].filter(([entry]) => this.searched.get(entry.item.id) === entry);
    const found = here.map(([entry, vector]) => ({ entry, embedder, vector }));
    const { fitting = [], unfit = [] } = Object.groupBy(found, (one) =>
      this.searched.fits(one) ? "fitting" : "unfit",
    );
    const first = this.searched.dimensions === undefined && fitting.length > 0;
    for (const { entry, ...embedded } of fitting) {
      if (!writer || !entry.home) this.searched.embed(entry.item.id, embedded);
    }
    await writer?.embed(fitting.filter(({ entry }) => entry.home));
    if (first && writer) await this.describe();
    return unfit.map(({ entry }) => entry);
  }

  /** Throws `MemoryError` when another window writes. */
  async remove(ids: readonly string[]): Promise<void> {
    await (await this.mustWrite()).remove(ids);
  }

  /** Forgets everything; the function that is returned brings it back, as long as the memory is open. */
  async clear(): Promise<() => Promise<void>> {
    await (await this.mustWrite()).close();
    const { folder, embedder, segmentSize } = this.options;
    const target = path.join(folder, CLEARED, String(Date.now()));
    try {
      await this.shelf.moveTo(target);
      this.searched.close();
      this.searched = new MemoryIndex(embedder, this.searched.dimensions);
    } finally {
      this.writer = new MemoryWriter(this.shelf, this.searched, segmentSize);
    }
    return async () => {
      await this.mustWrite();
      for await (const change of this.shelf.moveBack(target)) await this.take(change);
    };
  }

  /** Writes full segments into their Vectra indexes once all their memories have vectors. */
  async fold(): Promise<void> {
    await (await this.mayWrite())?.fold();
  }

  /** To be called every few seconds: shows that this window lives, or looks whether the writing one does and what it wrote. */
  async tick(): Promise<void> {
    if (!this.writer) {
      if (!(await this.tryToWrite())) await this.refresh();
      return;
    }
    const writer = await this.mayWrite(true);
    if (!writer) return;
    await this.inbox.collect((items) => this.add(items));
    await writer.sync();
    await writer.fold();
  }

  async close(): Promise<void> {
    this.searched.close();
    try {
      if (!(await this.mayWrite())) return;
      await this.writer?.fold(true);
      await fs.rm(path.join(this.options.folder, CLEARED), { recursive: true, force: true });
    } finally {
      await this.stopWriting();
    }
  }

  private async stopWriting(): Promise<void> {
    await this.writer?.close();
    await this.lock.release();
  }

  /** The writer, if this window is still the one that writes. */
  private async mayWrite(beat = false): Promise<MemoryWriter | undefined> {
    const { writer } = this;
    if (!writer || (await (beat ? this.lock.beat() : this.lock.stillHeld()))) return writer;
    if (this.writer === writer) {
      this.writer = undefined;
      this.options.notice(
        "Another window has taken over the memory; this one reads it and hands over what is new.",
      );
    }
    await writer.close();
    return undefined;
  }

  private async mustWrite(): Promise<MemoryWriter> {
    const writer = await this.mayWrite();
    if (writer) return writer;
    throw new MemoryError(
      "Another window writes this memory just now. Do this there, or close that window first.",
    );
  }

  /** Takes the lock, brings everything up to date and begins to write; false when another window holds it. */
  private async tryToWrite(): Promise<boolean> {
    if (await this.lock.take()) return false;
    const { folder, segmentSize } = this.options;
    try {
      const described = await readMeta(folder);
      await this.shelf.sweep();
      await fs.rm(path.join(folder, CLEARED), { recursive: true, force: true });
      await this.refresh(true);
      await this.describe(described);
      this.writer = new MemoryWriter(this.shelf, this.searched, segmentSize);
      await this.inbox.collect((items) => this.add(items));
      return true;
    } catch (error) {
      await this.stopWriting();
      this.writer = undefined;
      throw error;
    }
  }

  /** Writes what the memory holds into meta.json, unless it says so already. */
  private async describe(described?: MemoryMetadata): Promise<void> {
    const { embedder, folder } = this.options;
    const { dimensions } = this.searched;
    const meta = { format: FOLDER_FORMAT, embedder, ...(dimensions ? { dimensions } : {}) };
    if (!isDeepStrictEqual(meta, described)) await writeMeta(folder, meta);
  }

  /** Reads what is new on disk: first what windows have handed over, as it gets into the segments later. */
  private async refresh(repairing = false): Promise<void> {
    const before = this.searched.handedOver();
    const handedOver = await this.inbox.peek();
    const gone = ({ ids }: { ids: Set<string> }) => {
      for (const id of [...ids]) this.searched.remove(id);
    };
    for await (const change of this.shelf.changes(gone)) {
      await this.take(change);
      if (change.contents.damaged.length > 0) await this.tellDamage(change, repairing);
    }
    this.showHandedOver(handedOver, before);
  }

  private async take({ segment, contents }: SegmentChange): Promise<void> {
    await untilIdle();
    segment.found(contents.logEnd, contents.stamp);
    this.searched.load(segment, contents);
    await untilIdle();
  }

  /** What is neither in the inbox nor in a segment any more has been removed by the window that writes. */
  private showHandedOver(handedOver: readonly MemoryItem[], before: readonly MemoryEntry[]): void {
    const waiting = new Set(handedOver.map(({ id }) => id));
    for (const entry of before) {
      const { id } = entry.item;
      if (!waiting.has(id) && this.searched.get(id) === entry) this.searched.remove(id);
    }
    for (const item of handedOver)
      if (!this.searched.get(item.id)) this.searched.put(storedItem(item), undefined);
  }

  private async tellDamage(change: SegmentChange, repairing: boolean): Promise<void> {
    const what = `A part of the memory is damaged (${change.segment.name}); the rest is in use.`;
    if (!repairing) return this.options.notice(what);
    change.segment.dirty = true;
    this.options.notice(`${what} What was damaged is kept in ${await this.shelf.setAside(change)}.`);
  }
}
