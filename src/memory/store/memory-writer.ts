import { setImmediate as untilIdle } from "node:timers/promises";
import type { MemoryEntry, MemoryIndex } from "../search/memory-index.ts";
import { diskError, MemoryError } from "./memory-error.ts";
import type { MemoryItem } from "./memory-item.ts";
import type { Segment } from "./segment.ts";
import { type StoredVector, vectraItem } from "./segment-files.ts";
import type { SegmentRecord } from "./segment-log.ts";
import type { SegmentStore } from "./segment-store.ts";
import { storedItem } from "./stored-item.ts";
import type { VectraItem } from "./vectra-index.ts";

/** So many vectors are copied before the event loop gets a turn. */
const TURN = 32;

/** Changes a memory, on disk first and then as it is searched. One at a time exists for a folder. */
export class MemoryWriter {
  private readonly shelf: SegmentStore;
  private readonly index: MemoryIndex;
  private readonly segmentSize: number;
  private current: Promise<Segment> | undefined;
  private closed = false;

  /** New memories go on filling the last segment on the shelf. */
  constructor(shelf: SegmentStore, index: MemoryIndex, segmentSize: number) {
    this.shelf = shelf;
    this.index = index;
    this.segmentSize = segmentSize;
    const last = shelf.segments.at(-1);
    this.current = last && Promise.resolve(last);
  }

  /** Resolves once the items survive a crash of the program. Throws `MemoryError`; then none of them was added. */
  async add(items: readonly MemoryItem[]): Promise<void> {
    const fresh = items.filter(({ id }) => !this.index.get(id)?.home);
    if (fresh.length === 0) return;
    const segment = await this.active();
    if (this.closed) throw overtaken();
    const records = fresh.map((item): SegmentRecord => ({ op: "put", item }));
    await segment.change(records, () => {
      for (const item of fresh) this.index.put(storedItem(item), segment);
    });
  }

  /** Keeps vectors that fit, those of a segment in one go; none of what was cleared meanwhile. */
  async embed(found: readonly (StoredVector & { readonly entry: MemoryEntry })[]): Promise<void> {
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
        for (const { entry, ...embedded } of own) this.index.embed(entry.item.id, embedded);
      });
    }
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const [home, own] of Map.groupBy(ids, (id) => this.index.get(id)?.home)) {
      const records = own.map((id): SegmentRecord => ({ op: "remove", id }));
      if (this.closed) throw overtaken();
      await home?.change(records, () => {
        for (const id of own) this.index.remove(id);
      });
    }
  }

  /** Writes segments, all of whose memories have vectors, into their Vectra indexes: the full ones, or all of them. */
  async fold(all = false): Promise<void> {
    const current = await this.current;
    for (const segment of this.shelf.segments) {
      if (this.closed) return;
      if (!segment.dirty || (segment === current && !all)) continue;
      if (segment.ids.size > 0) await segment.fold(this.index.embedder, () => this.wholly(segment));
      else if (segment !== current) await this.shelf.delete(segment);
    }
  }

  async sync(): Promise<void> {
    for (const segment of this.shelf.segments) await segment.sync();
  }

  /** Resolves once all that was begun is on the disk; nothing is changed any more. */
  async close(): Promise<void> {
    this.closed = true;
    await this.current?.catch(() => "There is no such segment, then.");
    for (const segment of this.shelf.segments) await segment.close();
  }

  /** All memories of a segment, which nothing else changes meanwhile; undefined as long as one has no vector. */
  private async wholly(segment: Segment): Promise<readonly VectraItem[] | undefined> {
    const entries = [...segment.ids].flatMap((id) => this.index.get(id) ?? []);
    if (entries.length < segment.ids.size || entries.some(({ row }) => row === undefined)) return undefined;
    const items: VectraItem[] = [];
    for (const entry of entries) {
      const embedded = this.index.embeddedOf(entry);
      if (!embedded) return undefined;
      items.push(vectraItem(entry.item.read(), embedded));
      if (items.length % TURN === 0) await untilIdle();
    }
    return items;
  }

  /** The segment that new memories go to. */
  private async active(): Promise<Segment> {
    const before = this.current;
    const segment = await before;
    if (segment && segment.ids.size < this.segmentSize) return segment;
    if (this.current === before) this.current = this.begin();
    return this.active();
  }

  private async begin(): Promise<Segment> {
    try {
      return await this.shelf.begin();
    } catch (error) {
      this.current = undefined;
      throw diskError(error);
    }
  }
}

function overtaken(): MemoryError {
  return new MemoryError(
    "The memory was closed, cleared or taken over by another window just now, so this was not done. Try again.",
  );
}
