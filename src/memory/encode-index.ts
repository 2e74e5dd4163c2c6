import { crc32 } from "node:zlib";
import {
  BOOLEAN,
  CHECKSUM,
  CONFIG,
  EMBEDDER,
  ID,
  ITEM,
  KEY,
  METADATA,
  type Metadata,
  NORM,
  NUMBER,
  PADDING,
  SEALED,
  TEXT,
  VALUE,
  VECTOR,
  VERSION,
} from "./index-fields.ts";
import { fieldSize, WireWriter } from "./wire.ts";

/** An item of a Vectra index. */
export interface IndexFileItem {
  readonly id: string;
  readonly metadata: Metadata;
  readonly vector: Float32Array;
  readonly norm: number;
}

/** What a field with a number, or with a boolean, takes with its tag. */
const DOUBLE_FIELD = 9;
const BOOLEAN_FIELD = 2;

/** A vector's numbers are of so many bytes. */
const NUMBER_BYTES = 4;

/** What an item takes beside its vector, at most in most cases. */
const ITEM_BYTES = 2_048;

/** A Vectra index in Vectra's own protobuf format; `embedder` has made all its vectors. */
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

/** How much padding an item at this place needs so that the numbers at its end lie well. */
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
  if (typeof value === "string") writer.text(TEXT, value);
  else if (typeof value === "number") writer.double(NUMBER, value);
  else writer.head(BOOLEAN, value ? 1 : 0);
}

function entrySize(key: string, value: string | number | boolean): number {
  return fieldSize(KEY, Buffer.byteLength(key)) + fieldSize(VALUE, valueSize(value));
}

function valueSize(value: string | number | boolean): number {
  if (typeof value === "string") return fieldSize(TEXT, Buffer.byteLength(value));
  return typeof value === "number" ? DOUBLE_FIELD : BOOLEAN_FIELD;
}
