import { crc32 } from "node:zlib";
import {
  BOOLEAN,
  CHECKSUM,
  EMBEDDER,
  ID,
  ITEM,
  KEY,
  METADATA,
  type Metadata,
  NORM,
  NUMBER,
  SEALED,
  TEXT,
  VALUE,
  VECTOR,
  VERSION,
} from "./index-fields.ts";
import { WireReader } from "./wire.ts";

/** An item as it lies in the bytes of an index. */
export interface IndexedItem {
  readonly id: string;
  /** The numbers where they lie, if they lie well, else a copy. */
  readonly vector: Float32Array;
  readonly norm: number;
  /** The bytes from here to the end hold its metadata; see `metadataOf`. */
  readonly start: number;
  readonly end: number;
}

/** What an index file holds. */
export interface IndexContents {
  readonly version: number;
  /** Of all items of a sealed file; undefined where each has to be asked. */
  readonly embedder?: string;
  readonly items: readonly IndexedItem[];
}

/** Reads a Vectra index. Throws `RangeError` when the file is damaged. */
export function decodeIndex(bytes: Buffer): IndexContents {
  const reader = new WireReader(bytes);
  const items: IndexedItem[] = [];
  let [version, embedder, sealed, whole] = [0, "", false, false];
  while (reader.within()) {
    const start = reader.position;
    const tagRead = reader.tag();
    if (tagRead === VERSION) version = reader.varint();
    else if (tagRead === ITEM) items.push(decodeItem(reader, reader.message()));
    else if (tagRead === EMBEDDER) embedder = reader.text();
    else if (tagRead === SEALED) sealed = reader.varint() === 1;
    else if (tagRead === CHECKSUM) {
      if (reader.fixed32() !== crc32(bytes.subarray(0, start))) throw new RangeError("The checksum differs.");
      whole = !reader.within();
    } else reader.skipValue(tagRead);
  }
  if (sealed !== whole) throw new RangeError("The checksum is missing.");
  return { version, items, ...(sealed && embedder ? { embedder } : {}) };
}

/** Most of what is remembered is never asked for, so the metadata are passed over. */
function decodeItem(reader: WireReader, itemEnd: number): IndexedItem {
  const start = reader.position;
  let [id, norm, end] = ["", 0, itemEnd];
  let vector: Float32Array = new Float32Array(0);
  while (reader.within(itemEnd)) {
    const at = reader.position;
    const tagRead = reader.tag();
    if (tagRead === ID) id = reader.text();
    else if (tagRead === NORM) norm = reader.double();
    else if (tagRead === VECTOR) {
      vector = reader.floats();
      if (!reader.within(itemEnd)) end = at;
    } else reader.skipValue(tagRead);
  }
  return { id, vector, norm, start, end };
}

/** The metadata among these bytes of an item. Throws `RangeError` when they are none. */
export function metadataOf(bytes: Buffer, start: number, end: number): Metadata {
  const metadata: Record<string, string | number | boolean> = {};
  const reader = new WireReader(bytes, start);
  while (reader.within(end)) {
    const tagRead = reader.tag();
    if (tagRead === METADATA) decodeEntry(reader, reader.message(), metadata);
    else reader.skipValue(tagRead);
  }
  return metadata;
}

function decodeEntry(
  reader: WireReader,
  end: number,
  metadata: Record<string, string | number | boolean>,
): void {
  let key = "";
  let value: string | number | boolean = "";
  while (reader.within(end)) {
    const tagRead = reader.tag();
    if (tagRead === KEY) key = reader.text();
    else if (tagRead === VALUE) value = decodeValue(reader, reader.message());
    else reader.skipValue(tagRead);
  }
  if (key !== "__proto__") metadata[key] = value;
}

function decodeValue(reader: WireReader, end: number): string | number | boolean {
  let value: string | number | boolean = "";
  while (reader.within(end)) {
    const tagRead = reader.tag();
    if (tagRead === TEXT) value = reader.text();
    else if (tagRead === NUMBER) value = reader.double();
    else if (tagRead === BOOLEAN) value = reader.varint() === 1;
    else reader.skipValue(tagRead);
  }
  return value;
}
