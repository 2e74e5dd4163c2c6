import { crc32 } from "node:zlib";
import { BYTES, FIXED32, FIXED64, fieldSize, tag, VARINT, WireReader, WireWriter } from "./protobuf.ts";

/** The metadata of an item in a Vectra index. */
export type IndexMetadata = Readonly<Record<string, string | number | boolean>>;

/** The fields of Vectra's `index.proto`: of the index, an item, a metadata entry, and an entry's value. */
const VERSION = tag(1, VARINT);
const CONFIG = tag(2, BYTES);
const ITEM = tag(3, BYTES);
const ID = tag(1, BYTES);
const METADATA = tag(2, BYTES);
const VECTOR = tag(3, BYTES);
const NORM = tag(4, FIXED64);
const KEY = tag(1, BYTES);
const VALUE = tag(2, BYTES);
const STRING = tag(1, BYTES);
const NUMBER = tag(2, FIXED64);
const BOOLEAN = tag(3, VARINT);
/**
 * Our own fields, which Vectra's reader skips. The first field of a file says that its last field is a checksum of
 * everything before it. Another program wrote a file that has neither; it is read as it is.
 */
const SEALED = tag(1000, VARINT);
const CHECKSUM = tag(1001, FIXED32);
/** The embedder of all vectors of a sealed file, whose items were checked when it was written. */
const EMBEDDER = tag(1002, BYTES);
/** Precedes a vector so that its numbers are aligned and can be used without a copy. */
const PADDING = tag(15, BYTES);

/** An item of a Vectra index. */
export interface IndexFileItem {
  readonly id: string;
  readonly metadata: IndexMetadata;
  readonly vector: Float32Array;
  readonly norm: number;
}

/** The size of a number field and of a boolean field, with the tag. */
const DOUBLE_FIELD = 9;
const BOOLEAN_FIELD = 2;

/** The size of one number of a vector. */
const NUMBER_BYTES = 4;

/** The size that most items don't exceed, without the vector. */
const ITEM_BYTES = 2_048;

/** Encodes a Vectra index in Vectra's own protobuf format; `embedder` made all its vectors. */
export function encodeIndex(version: number, items: readonly IndexFileItem[], embedder: string): Buffer {
  const vectors = items.reduce((sum, { vector }) => sum + vector.byteLength, 0);
  const writer = new WireWriter(vectors + items.length * ITEM_BYTES);
  writer.varint(SEALED);
  writer.varint(1);
  writer.text(EMBEDDER, embedder);
  writer.varint(VERSION);
  writer.varint(version);
  writer.head(CONFIG, 0);
  for (const item of items) encodeItem(writer, item);
  writer.fixed32(CHECKSUM, crc32(writer.written));
  return writer.written;
}

function encodeItem(writer: WireWriter, { id, metadata, vector, norm }: IndexFileItem): void {
  const numbers = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  const entries = Object.entries(metadata);
  const head =
    fieldSize(ID, Buffer.byteLength(id)) +
    entries.reduce((sum, [key, value]) => sum + fieldSize(METADATA, entrySize(key, value)), 0) +
    DOUBLE_FIELD;
  const field = fieldSize(VECTOR, numbers.length);
  const padding = paddingFor(writer.position, head, field, numbers.length);
  writer.head(ITEM, head + fieldSize(PADDING, padding) + field);
  writer.text(ID, id);
  for (const [key, value] of entries) encodeEntry(writer, key, value);
  writer.double(NORM, norm);
  writer.raw(PADDING, Buffer.alloc(padding));
  writer.raw(VECTOR, numbers);
}

/** The padding that an item at this position needs so that the numbers at its end are aligned. */
function paddingFor(place: number, head: number, field: number, numbers: number): number {
  for (let padding = 0; ; padding++) {
    const end = place + fieldSize(ITEM, head + fieldSize(PADDING, padding) + field);
    if ((end - numbers) % NUMBER_BYTES === 0) return padding;
  }
}

function encodeEntry(writer: WireWriter, key: string, value: string | number | boolean): void {
  writer.head(METADATA, entrySize(key, value));
  writer.text(KEY, key);
  writer.head(VALUE, valueSize(value));
  if (typeof value === "string") writer.text(STRING, value);
  else if (typeof value === "number") writer.double(NUMBER, value);
  else writer.head(BOOLEAN, value ? 1 : 0);
}

function entrySize(key: string, value: string | number | boolean): number {
  return fieldSize(KEY, Buffer.byteLength(key)) + fieldSize(VALUE, valueSize(value));
}

function valueSize(value: string | number | boolean): number {
  if (typeof value === "string") return fieldSize(STRING, Buffer.byteLength(value));
  return typeof value === "number" ? DOUBLE_FIELD : BOOLEAN_FIELD;
}

/** An item in the bytes of an index. */
export interface IndexedItem {
  readonly id: string;
  /** The numbers in the file's memory if they are aligned, or else a copy. */
  readonly vector: Float32Array;
  readonly norm: number;
  /** The metadata is between `start` and `end`; see `metadataOf`. */
  readonly start: number;
  readonly end: number;
}

/** The contents of an index file. */
export interface IndexContents {
  readonly version: number;
  /** The embedder of all items of a sealed file; undefined if each item names its own. */
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

/** Decodes the id and the vector; the metadata is skipped, because most memories are never read. */
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

/** Decodes the metadata in these bytes of an item. Throws `RangeError` if they are damaged. */
export function metadataOf(bytes: Buffer, start: number, end: number): IndexMetadata {
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
    if (tagRead === STRING) value = reader.text();
    else if (tagRead === NUMBER) value = reader.double();
    else if (tagRead === BOOLEAN) value = reader.varint() === 1;
    else reader.skipValue(tagRead);
  }
  return value;
}
