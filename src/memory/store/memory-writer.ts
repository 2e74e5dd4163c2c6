import { setImmediate as untilIdle } from "node:timers/promises";
import type { MemoryEntry } from "../search/memory-index.ts";
import { convertToDiskError, createOvertakenError } from "./memory-error.ts";
import type { MemoryItem } from "./memory-item.ts";
import type { StoredVector } from "./memory-store.ts";
import type { Home, PlacedMemories } from "./placed-memories.ts";
import type { FoldedMemories, Segment } from "./segment.ts";
import { createVectraItem } from "./segment-files.ts";
import type { SegmentRecord } from "./segment-records.ts";
import type { SegmentStore } from "./segment-store.ts";
import { createStoredItem, packStoredItems } from "./stored-item.ts";

import type { VectraItem } from "./vectra-index.ts";

/** The number of vectors that are copied before the event loop gets a turn. */
const TURN = 32;
/** Batches of at least this many memories are packed: they come from a folder or from others, and few are ever read. */
const MANY = 16;

/** Changes a memory, first on disk and then in the search index. A folder has one writer at a time. */
export class MemoryWriter {
  private readonly segments: SegmentStore;
  private readonly memories: PlacedMemories;
  private readonly segmentSize: number;
  private readonly isProven: (item: MemoryItem) => boolean;
  private current: Promise<Segment> | undefined;
  private closed = false;

  /** Adds new memories to the last segment. `isProven`: see `MemoryStoreOptions`. */
  constructor(
    segments: SegmentStore,
    memories: PlacedMemories,
    segmentSize: number,
    isProven: (item: MemoryItem) => boolean = () => false,
  ) {
    this.segments = segments;
    this.memories = memories;
    this.segmentSize = segmentSize;
    this.isProven = isProven;
    const last = segments.segments.at(-1);
    this.current = last && !last.isLeftAlone ? Promise.resolve(last) : undefined;
  }

  /** Resolves once the items survive a crash of the program. Throws `MemoryError`; then none was added. */
  async add(items: readonly MemoryItem[]): Promise<void> {
    // A repository may leave one memory in the inbox any number of times.
    const once = new Map(items.map((item) => [item.id, item])).values();
    const fresh = [...once].filter((item) => this.isNew(item));
    const added: string[] = [];
    try {
      while (added.length < fresh.length) added.push(...(await this.addSome(fresh.slice(added.length))));
    } catch (error) {
      await this.remove(added).catch(() => "They stay, as memories that weren't acknowledged.");
      throw error;
    }
  }

  private isNew(item: MemoryItem): boolean {
    const known = this.memories.index.get(item.id);
    return !known?.home || (this.isProven(item) && !this.isProven(known.item.read()));
  }

  /** Adds as many items as fit into a segment, so that no segment becomes too large to write at once. */
  private async addSome(items: readonly MemoryItem[]): Promise<readonly string[]> {
    const segment = await this.getActiveSegment();
    if (this.closed) throw createOvertakenError();
    const some = items.slice(0, Math.max(1, this.segmentSize - segment.ids.size));
    const records = some.map((item): SegmentRecord => ({ op: "put", item }));
    const stored = some.length < MANY ? some.map(createStoredItem) : packStoredItems(some);
    await segment.change(records, () => {
      for (const item of stored) this.memories.put(item, segment);
    });
    return some.map(({ id }) => id);
  }

  /** Stores vectors that fit, segment by segment; none if the memory was cleared in the meantime. */
  async embed(found: readonly (StoredVector & { readonly entry: MemoryEntry<Home> })[]): Promise<void> {
    for (const [home, own] of Map.groupBy(found, ({ entry }) => entry.home)) {
      const records = own.map(
        ({ entry, embedder, vector }): SegmentRecord => ({
          op: "vector",
          id: entry.item.id,
          embedder,
          vector,
        }),
      );
      if (this.closed) return;
      await home?.change(records, () => {
        for (const { entry, ...embedded } of own) this.memories.index.embed(entry.item.id, embedded);
      });
    }
  }

  /** Removes memories from their segments, and from earlier ones whose files still contain them. */
  async remove(ids: readonly string[]): Promise<void> {
    for (const segment of this.segments.segments.filter(({ hasGone }) => hasGone)) {
      const left = ids.filter((id) => segment.mayHold(id) && this.memories.index.get(id));
      if (left.length > 0) await this.removeFrom(segment, left);
    }
    for (const [home, own] of Map.groupBy(ids, (id) => this.memories.index.get(id)?.home))
      if (home) await this.removeFrom(home, own);
  }

  private async removeFrom(segment: Segment, ids: readonly string[]): Promise<void> {
    if (this.closed) throw createOvertakenError();
    const records = ids.map((id): SegmentRecord => ({ op: "remove", id }));
    await segment.change(records, () => {
      for (const id of ids) if (segment.ids.has(id)) this.memories.remove(id);
    });
  }

  /** Writes changed segments into their Vectra indexes: the full ones, or all. */
  async fold(all = false): Promise<void> {
    const current = await this.current;
    for (const segment of this.segments.segments) {
      if (this.closed) return;
      if (!segment.dirty || segment.isLeftAlone || (segment === current && !all)) continue;
      // A memory goes from one segment only when it's on the disk in another.
      if (segment.hasGone) await this.sync();
      if (segment.ids.size > 0 || segment.foreign > 0 || segment === current)
        await segment.fold(() => this.collectFoldedMemories(segment, all));
      else await this.segments.delete(segment);
    }
  }

  async sync(): Promise<void> {
    for (const segment of this.segments.segments) await segment.sync();
  }

  /** Resolves once all pending changes are on the disk; later changes are refused. */
  async close(): Promise<void> {
    this.closed = true;
    await this.current?.catch(() => "It could not be created.");
    for (const segment of this.segments.segments) await segment.close();
  }

  /**
   * The memories of a segment with their vectors; undefined while it's being embedded. The index can't hold memories without a vector, so
   * they return to the log if `all` is true.
   */
  private async collectFoldedMemories(segment: Segment, all: boolean): Promise<FoldedMemories | undefined> {
    const { index } = this.memories;
    const entries = [...segment.ids].flatMap((id) => index.get(id) ?? []);
    if (entries.some(({ isAwaited }) => isAwaited)) return undefined;
    const bare = entries.filter(({ row }) => row === undefined);
    const unlogged = bare.filter(({ item }) => !segment.isLogged(item.id));
    if (unlogged.length > 0) {
      if (!all || bare.length === entries.length) return undefined;
      // One that is just being removed must not come back.
      const listRemainingItems = () => unlogged.filter(({ item }) => segment.ids.has(item.id));
      await segment.change(
        () => listRemainingItems().map(({ item }): SegmentRecord => ({ op: "put", item: item.read() })),
        () => undefined,
      );
    }
    const items: VectraItem[] = [];
    for (const [place, entry] of entries.entries()) {
      if (place % TURN === 0) await untilIdle();
      const embedded = index.getStoredVector(entry);
      if (embedded) items.push(createVectraItem(entry.item.read(), embedded));
    }
    return { items, isComplete: bare.length === 0 };
  }

  /** The segment for new memories. */
  private async getActiveSegment(): Promise<Segment> {
    const before = this.current;
    const segment = await before;
    if (segment && segment.ids.size < this.segmentSize) return segment;
    if (this.current === before) this.current = this.begin();
    return this.getActiveSegment();
  }

  private async begin(): Promise<Segment> {
    try {
      return await this.segments.begin();
    } catch (error) {
      this.current = undefined;
      throw convertToDiskError(error);
    }
  }
}
