import { type MemoryEntry, MemoryIndex } from "../search/memory-index.ts";
import type { StoredItem, StoredVector } from "./memory-store.ts";
import { iteratePackedMemories, type PackedSegment } from "./packed-segment.ts";
import type { Segment } from "./segment.ts";
import type { SegmentContents } from "./segment-files.ts";
import { PackedItem } from "./stored-item.ts";

/** The segment of a memory; undefined for a memory that this window handed to the writing one. */
export type Home = Segment | undefined;

/** The memories of a folder: the search index, and the segment that each memory is stored in. */
export class PlacedMemories {
  readonly index: MemoryIndex<Home>;

  /** `dimensions`: the size of the vectors, if it is already known. */
  constructor(embedder: string, dimensions?: number) {
    this.index = new MemoryIndex(embedder, dimensions);
  }

  /** Places a memory in a segment. Its previous segment must be rewritten, or the memory would reappear from there. */
  put(item: StoredItem, home: Home, embedded?: StoredVector | string, terms?: Uint32Array): void {
    const before = this.index.put(item, home, embedded, terms)?.home;
    if (before !== home) before?.forgetMemory(item.id);
    home?.ids.add(item.id);
  }

  remove(id: string): void {
    this.index.remove(id)?.home?.ids.delete(id);
  }

  /**
   * Replaces a segment's memories with the contents of its files. Missing vectors are expected later. A memory that is also in a later
   * segment stays there.
   */
  load(segment: Segment, contents: Omit<PackedSegment, "foreign"> & Pick<SegmentContents, "vectors">): void {
    const { ids, texts, vectors } = contents;
    const now = new Set(segment.ids.size > 0 ? ids : []);
    for (const id of [...segment.ids]) if (!now.has(id)) this.remove(id);
    const bytes = Buffer.from(texts.buffer, texts.byteOffset, texts.byteLength);
    for (const { id, text, terms, vector, embedder } of iteratePackedMemories(contents)) {
      const home = this.index.get(id)?.home;
      const embedded =
        embedder !== undefined && vectors ? { embedder, vector: vectors.subarray(vector.start, vector.end) } : embedder;
      if (home && home.number > segment.number) segment.forgetMemory(id);
      else if (home !== segment) {
        const item = new PackedItem(id, bytes, text);
        this.put(item, segment, embedded, contents.terms.subarray(terms.start, terms.end));
      } else if (typeof embedded === "object") this.index.embed(id, embedded);
    }
  }

  /** Adds a segment's vectors that were read later. */
  loadVectors(segment: Segment, contents: SegmentContents): void {
    const { vectors } = contents;
    for (const { id, vector, embedder } of iteratePackedMemories(contents)) {
      const entry = this.index.get(id);
      if (embedder !== undefined && vectors && entry?.home === segment && entry.isAwaited)
        this.index.embed(id, { embedder, vector: vectors.subarray(vector.start, vector.end) });
    }
    for (const id of segment.ids) this.index.awaitNoLonger(id);
  }

  /** The memories in the inbox that aren't in a segment yet. */
  listHandedOver(): readonly MemoryEntry<Home>[] {
    return [...this.index.iterateAll()].filter(({ home }) => !home);
  }
}
