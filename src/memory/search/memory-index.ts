import { setImmediate as untilIdle } from "node:timers/promises";
import type { Segment } from "../store/segment.ts";
import type { SegmentContents, StoredVector } from "../store/segment-files.ts";
import type { StoredItem } from "../store/stored-item.ts";
import type { Scored, WordMatch } from "./ranking.ts";
import { unitVector, VectorMatrix } from "./vector-matrix.ts";
import { WordIndex } from "./word-index.ts";

/** A memory with where it lives. */
export interface MemoryEntry {
  readonly item: StoredItem;
  /** Its segment; undefined for what this window handed to the one that writes. */
  readonly home: Segment | undefined;
  /** Its row in the matrix; undefined until it is embedded. */
  row: number | undefined;
  /** Its number in the word index; undefined until it got there. */
  doc: number | undefined;
}

/** Words are indexed in slices of this length, so that nothing waits for them. */
const SLICE_MS = 5;

/** All memories as they are searched: by vector and by word. Vectors of one embedder and one size only. */
export class MemoryIndex {
  readonly embedder: string;
  private readonly entries = new Map<string, MemoryEntry>();
  /** Those without a vector of this embedder. */
  private readonly bare = new Set<MemoryEntry>();
  private readonly words = new WordIndex();
  private readonly docs: (MemoryEntry | undefined)[] = [];
  private unworded: MemoryEntry[] = [];
  private indexing: Promise<void> | undefined;
  private closed = false;
  private matrix: VectorMatrix<MemoryEntry> | undefined;

  /** `dimensions` where they are known from before. */
  constructor(embedder: string, dimensions?: number) {
    this.embedder = embedder;
    if (dimensions !== undefined) this.matrix = new VectorMatrix(dimensions);
  }

  get size(): number {
    return this.entries.size;
  }

  /** How many have a vector. */
  get embedded(): number {
    return this.matrix?.rows ?? 0;
  }

  /** Undefined until the first vector. */
  get dimensions(): number | undefined {
    return this.matrix?.dimensions;
  }

  get(id: string): MemoryEntry | undefined {
    return this.entries.get(id);
  }

  all(): Iterable<MemoryEntry> {
    return this.entries.values();
  }

  /** Up to `count` of the wanted memories that wait for a vector. */
  waiting(count: number, wanted: (entry: MemoryEntry) => boolean): readonly MemoryEntry[] {
    const first: MemoryEntry[] = [];
    for (const entry of this.bare) {
      if (first.length === count) break;
      if (wanted(entry)) first.push(entry);
    }
    return first;
  }

  /** Takes over what a segment's files hold, in place of what was known of it. */
  load(segment: Segment, { stored }: SegmentContents): void {
    for (const id of [...segment.ids]) if (!stored.has(id)) this.remove(id);
    for (const { item, embedded } of stored.values()) {
      const known = this.entries.get(item.id);
      if (known?.home !== segment) this.put(item, segment, embedded);
      else if (embedded) this.embed(item.id, embedded);
    }
  }

  /** Those that live in no segment, but in the inbox. */
  handedOver(): readonly MemoryEntry[] {
    return [...this.entries.values()].filter(({ home }) => !home);
  }

  /**
   * Takes a memory in place of what was known by its id; a vector that does not fit counts as none. The segment that had
   * it before is to be written anew, or it would have it again one day.
   */
  put(item: StoredItem, home: Segment | undefined, embedded?: StoredVector): void {
    const before = this.entries.get(item.id)?.home;
    if (before && before !== home) before.dirty = true;
    this.remove(item.id);
    const entry: MemoryEntry = { item, home, row: undefined, doc: undefined };
    this.entries.set(item.id, entry);
    this.unworded.push(entry);
    home?.ids.add(item.id);
    if (!embedded || !this.place(entry, embedded)) this.bare.add(entry);
  }

  /** True when a vector can stand beside the others: same embedder, same size, and a direction. */
  fits(embedded: StoredVector): boolean {
    return this.fitted(embedded) !== undefined;
  }

  /** Gives a memory a vector; nothing happens when it is no longer there or the vector does not fit. */
  embed(id: string, embedded: StoredVector): void {
    const entry = this.entries.get(id);
    if (entry && this.place(entry, embedded)) this.bare.delete(entry);
  }

  remove(id: string): void {
    const entry = this.entries.get(id);
    if (!entry) return;
    this.entries.delete(id);
    this.bare.delete(entry);
    entry.home?.ids.delete(id);
    if (entry.row !== undefined) {
      const moved = this.matrix?.remove(entry.row);
      if (moved) moved.row = entry.row;
      entry.row = undefined;
    }
    if (entry.doc !== undefined) {
      this.words.remove(entry.doc);
      this.docs[entry.doc] = undefined;
    }
  }

  /** The memory's vector, as it is stored. */
  embeddedOf({ row }: MemoryEntry): StoredVector | undefined {
    if (row === undefined || !this.matrix) return undefined;
    return { embedder: this.embedder, vector: this.matrix.vector(row) };
  }

  /** The cosine of two memories; 0 as long as one of them has no vector. */
  similarity(one: MemoryEntry, other: MemoryEntry): number {
    return one.row === undefined || other.row === undefined || !this.matrix
      ? 0
      : this.matrix.similarity(one.row, other.row);
  }

  async nearest(vector: Float32Array, count: number): Promise<readonly Scored<MemoryEntry>[]> {
    const query = unitVector(vector);
    if (!query || query.length !== this.matrix?.dimensions) return [];
    return this.matrix.nearest(query, count);
  }

  async withWords(query: string, count: number): Promise<readonly WordMatch<MemoryEntry>[]> {
    await this.indexWords();
    const hits = await this.words.search(query, count);
    return hits.flatMap(({ doc, coverage }) => {
      const value = this.docs[doc];
      return value ? [{ value, coverage }] : [];
    });
  }

  /** Resolves once every memory can be found by its words. */
  indexWords(): Promise<void> {
    this.indexing ??= this.indexInSlices().finally(() => {
      this.indexing = undefined;
    });
    return this.indexing;
  }

  /** Stops the work in the background. */
  close(): void {
    this.closed = true;
  }

  private place(entry: MemoryEntry, embedded: StoredVector): boolean {
    const unit = this.fitted(embedded);
    if (!unit) return false;
    this.matrix ??= new VectorMatrix(unit.length);
    if (entry.row !== undefined) this.matrix.replace(entry.row, unit);
    else entry.row = this.matrix.append(entry, unit);
    return true;
  }

  private fitted({ embedder, vector }: StoredVector): Float32Array | undefined {
    if (embedder !== this.embedder) return undefined;
    return vector.length === (this.matrix?.dimensions ?? vector.length) ? unitVector(vector) : undefined;
  }

  private async indexInSlices(): Promise<void> {
    while (this.unworded.length > 0 && !this.closed) {
      const queue = this.unworded;
      this.unworded = [];
      let until = performance.now() + SLICE_MS;
      for (const entry of queue) {
        if (this.entries.get(entry.item.id) !== entry) continue;
        const { text, source } = entry.item.read();
        entry.doc = this.words.add(`${text}\n${source}`);
        this.docs[entry.doc] = entry;
        if (performance.now() < until) continue;
        await untilIdle();
        if (this.closed) return;
        until = performance.now() + SLICE_MS;
      }
    }
  }
}
