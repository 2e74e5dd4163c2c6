import { isObject, tryJson } from "../../core/base/json.ts";
import { type MemoryItem, readItem } from "./memory-item.ts";
import type { StoredItem } from "./memory-store.ts";

/** A size that few memories exceed. */
const ITEM_BYTES = 1_024;

/** The position of a memory in packed bytes. */
export interface PackedPlace {
  readonly start: number;
  readonly end: number;
}

/** Packs memories one after the other into one buffer, as JSON. */
export class ItemPacker {
  private bytes: Buffer;
  private end = 0;

  constructor(items: number) {
    this.bytes = Buffer.allocUnsafeSlow(Math.max(1, items) * ITEM_BYTES);
  }

  add(item: MemoryItem): PackedPlace {
    const text = Buffer.from(JSON.stringify(item));
    const start = this.end;
    this.end += text.length;
    if (this.end > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(this.end * 2);
      this.bytes.copy(larger, 0, 0, start);
      this.bytes = larger;
    }
    text.copy(this.bytes, start);
    return { start, end: this.end };
  }

  /** Copies the packed bytes into a new buffer. */
  copyPackedBytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.bytes.subarray(0, this.end));
  }
}

/** A memory that is already decoded. */
export function createStoredItem(item: MemoryItem): StoredItem {
  return { id: item.id, read: () => item };
}

/** Packs memories into one buffer, which takes half the space of objects and no heap. */
export function packStoredItems(items: readonly MemoryItem[]): readonly StoredItem[] {
  const packer = new ItemPacker(items.length);
  const places = items.map((item) => packer.add(item));
  const bytes = Buffer.from(packer.copyPackedBytes().buffer);
  return items.map(({ id }, index) => new PackedItem(id, bytes, places[index] ?? NOWHERE));
}

/** A memory in packed bytes. Most memories are never read, so it's decoded only on demand. */
export class PackedItem implements StoredItem {
  readonly id: string;
  private readonly bytes: Buffer;
  private readonly start: number;
  private readonly end: number;

  constructor(id: string, bytes: Buffer, { start, end }: PackedPlace) {
    this.id = id;
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }

  read(): MemoryItem {
    const { id } = this;
    const fields = tryJson(this.bytes.toString("utf8", this.start, this.end));
    return (isObject(fields) ? readItem(id, fields) : undefined) ?? { id, ...NOTHING };
  }
}

const NOWHERE = { start: 0, end: 0 } as const;
const NOTHING = { kind: "note", text: "", source: "", at: "" } as const;
