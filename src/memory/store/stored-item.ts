import { type IndexMetadata, metadataOf } from "./index-codec.ts";
import { type MemoryItem, readItem } from "./memory-item.ts";
import type { StoredItem } from "./memory-store.ts";

/** A memory that is already decoded. */
export function storedItem(item: MemoryItem): StoredItem {
  return { id: item.id, read: () => item };
}

/** A memory in the bytes of an index, from `start` to `end`. */
export class IndexedMemory implements StoredItem {
  readonly id: string;
  private readonly bytes: Buffer;
  private readonly start: number;
  private readonly end: number;

  constructor(id: string, bytes: Buffer, start: number, end: number) {
    this.id = id;
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }

  /** Throws `RangeError` when the bytes are damaged. */
  metadata(): IndexMetadata {
    return metadataOf(this.bytes, this.start, this.end);
  }

  /** A forged memory is read as an empty one. */
  read(): MemoryItem {
    const { id } = this;
    try {
      return readItem(id, this.metadata()) ?? { id, ...NOTHING };
    } catch {
      return { id, ...NOTHING };
    }
  }
}

const NOTHING = { kind: "note", text: "", source: "", at: "" } as const;
