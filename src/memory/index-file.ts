import { crc32 } from "node:zlib";
import {
  BYTES,
  bytesField,
  doubleField,
  FIXED32,
  FIXED64,
  tag,
  textField,
  VARINT,
  varint,
  WireReader,
} from "./wire.ts";

export type Metadata = Readonly<Record<string, string | number | boolean>>;

/** An item of a Vectra index. */
export interface IndexFileItem {
  readonly id: string;
  readonly metadata: Metadata;
  readonly vector: Float32Array;
  readonly norm: number;
}

/** The fields of Vectra's `index.proto`: of the index, an item, an entry of its metadata, an entry's value. */
const VERSION = tag(1, VARINT);
const CONFIG = tag(2, BYTES);
const ITEM = tag(3, BYTES);
const ID = tag(1, BYTES);
const METADATA = tag(2, BYTES);
const VECTOR = tag(3, BYTES);
const NORM = tag(4, FIXED64);
const KEY = tag(1, BYTES);
const VALUE = tag(2, BYTES);
const TEXT = tag(1, BYTES);
const NUMBER = tag(2, FIXED64);
const BOOLEAN = tag(3, VARINT);
/**
 * Fields of our own, which Vectra's reader passes over. The first of a file says that the last one is a checksum of all
 * before it; a file without either was written by something else and is taken as it is.
 */
const SEALED = tag(1000, VARINT);
const CHECKSUM = tag(1001, FIXED32);
/** Stands before a vector so that its numbers lie where they can be used as they are. */
const PADDING = tag(15, BYTES);
const NUMBER_BYTES = 4;

/** A Vectra index in Vectra's own protobuf format. */
export function encodeIndex(version: number, items: readonly IndexFileItem[]): Buffer {
  const parts = [
    varint(SEALED),
    varint(1),
    varint(VERSION),
    varint(version),
    bytesField(CONFIG, Buffer.alloc(0)),
  ];
  let length = parts.reduce((sum, part) => sum + part.length, 0);
  for (const item of items) {
    const bytes = encodeItem(item, length);
    parts.push(bytes);
    length += bytes.length;
  }
  const body = Buffer.concat(parts);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32(body));
  return Buffer.concat([body, varint(CHECKSUM), checksum]);
}

/** Reads a Vectra index. Throws `RangeError` when the file is damaged. */
export function decodeIndex(bytes: Buffer): { readonly version: number; readonly items: IndexFileItem[] } {
  const reader = new WireReader(bytes);
  const items: IndexFileItem[] = [];
  let [version, sealed, whole] = [0, false, false];
  while (reader.within()) {
    const start = reader.position;
    const tagRead = reader.tag();
    if (tagRead === VERSION) version = reader.varint();
    else if (tagRead === ITEM) items.push(decodeItem(reader, reader.message()));
    else if (tagRead === SEALED) sealed = reader.varint() === 1;
    else if (tagRead === CHECKSUM) {
      if (reader.fixed32() !== crc32(bytes.subarray(0, start))) throw new RangeError("The checksum differs.");
      whole = !reader.within();
    } else reader.skipValue(tagRead);
  }
  if (sealed !== whole) throw new RangeError("The checksum is missing.");
  return { version, items };
}

/** An item that is to stand at this place of the file. */
function encodeItem({ id, metadata, vector, norm }: IndexFileItem, place: number): Buffer {
  const numbers = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  const head = [
    textField(ID, id),
    ...Object.entries(metadata).map(([key, value]) =>
      bytesField(METADATA, Buffer.concat([textField(KEY, key), bytesField(VALUE, encodeValue(value))])),
    ),
    doubleField(NORM, norm),
  ];
  for (let padding = 0; ; padding++) {
    const item = Buffer.concat([
      ...head,
      bytesField(PADDING, Buffer.alloc(padding)),
      bytesField(VECTOR, numbers),
    ]);
    const field = bytesField(ITEM, item);
    if ((place + field.length - numbers.length) % NUMBER_BYTES === 0) return field;
  }
}

function encodeValue(value: string | number | boolean): Buffer {
  if (typeof value === "string") return textField(TEXT, value);
  if (typeof value === "number") return doubleField(NUMBER, value);
  return Buffer.concat([varint(BOOLEAN), varint(value ? 1 : 0)]);
}

function decodeItem(reader: WireReader, end: number): IndexFileItem {
  const metadata: Record<string, string | number | boolean> = {};
  let id = "";
  let vector: Float32Array = new Float32Array(0);
  let norm = 0;
  while (reader.within(end)) {
    const tagRead = reader.tag();
    if (tagRead === ID) id = reader.text();
    else if (tagRead === METADATA) decodeEntry(reader, reader.message(), metadata);
    else if (tagRead === VECTOR) vector = floats(reader.raw());
    else if (tagRead === NORM) norm = reader.double();
    else reader.skipValue(tagRead);
  }
  return { id, metadata, vector, norm };
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

/** The numbers where they lie, if they lie well, else a copy. */
function floats(bytes: Buffer): Float32Array {
  const length = Math.floor(bytes.length / NUMBER_BYTES);
  if (bytes.byteOffset % NUMBER_BYTES === 0) return new Float32Array(bytes.buffer, bytes.byteOffset, length);
  const copy = new Uint8Array(length * NUMBER_BYTES);
  copy.set(bytes.subarray(0, copy.length));
  return new Float32Array(copy.buffer);
}
