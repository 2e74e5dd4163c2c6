import { type MemoryEntry, MemoryIndex } from "../search/memory-index.ts";
import type { StoredItem, StoredVector } from "./memory-store.ts";
import type { Segment } from "./segment.ts";
import type { SegmentContents } from "./segment-files.ts";
import { PackedItem } from "./stored-item.ts";

/** The segment of a memory; undefined for a memory that this window handed to the writing one. */
export type Home = Segment | undefined;

/** The memories of a folder: the search index, and the segment that each memory is stored in. */
export class PlacedMemories {
  readonly index: MemoryIndex<Home>;

  /** `dimensions`: the size of the vectors, if it is known from before. */
  constructor(embedder: string, dimensions?: number) {
    this.index = new MemoryIndex(embedder, dimensions);
  }

  /** Places a memory in a segment. The segment that held it before must be rewritten, or the memory would reappear from it. */
  put(item: StoredItem, home: Home, embedded?: StoredVector): void {
    const before = this.index.put(item, home, embedded)?.home;
    if (before && before !== home) before.dirty = true;
    before?.ids.delete(item.id);
    home?.ids.add(item.id);
  }

  remove(id: string): void {
    this.index.remove(id)?.home?.ids.delete(id);
  }

  /** Replaces what was known of a segment with what its files hold. */
  load(segment: Segment, { stored, texts }: Pick<SegmentContents, "stored" | "texts">): void {
    const now = new Set(stored.map(({ id }) => id));
    for (const id of [...segment.ids]) if (!now.has(id)) this.remove(id);
    const bytes = Buffer.from(texts.buffer, texts.byteOffset, texts.byteLength);
    for (const { id, place, embedded } of stored) {
      const known = this.index.get(id);
      if (known?.home !== segment) this.put(new PackedItem(id, bytes, place), segment, embedded);
      else if (embedded) this.index.embed(id, embedded);
    }
  }

  /** The memories that are in the inbox and in no segment yet. */
  handedOver(): readonly MemoryEntry<Home>[] {
    return [...this.index.all()].filter(({ home }) => !home);
  }
}
