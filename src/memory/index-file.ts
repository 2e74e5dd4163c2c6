import { crc32 } from "node:zlib";
import { floats } from "./log-record.ts";
import { bytesField, doubleField, FIXED32, tag, textField, VARINT, varint, WireReader } from "./wire.ts";

export type Metadata = Readonly<Record<string, string | number | boolean>>;

/** An item of a Vectra index. */
export interface IndexFileItem {
  readonly id: string;
  readonly metadata: Metadata;
  readonly vector: Float32Array;
  readonly norm: number;
}

/**
 * A checksum of all that stands before it, at the end of the file, in a field that Vectra's own reader passes over.
 * A file without one was written by something else and is taken as it is.
 */
const CHECKSUM_FIELD = 1000;

/** A Vectra index in Vectra's own protobuf format (its `index.proto`). */
export function encodeIndex(version: number, items: readonly IndexFileItem[]): Buffer {
  const body = Buffer.concat([
    Buffer.concat([tag(1, VARINT), varint(version)]),
    bytesField(2, Buffer.alloc(0)),
    ...items.map((item) => bytesField(3, encodeItem(item))),
  ]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32(body));
  return Buffer.concat([body, tag(CHECKSUM_FIELD, FIXED32), checksum]);
}

/** Reads a Vectra index. Throws when the file is damaged. */
export function decodeIndex(bytes: Buffer): { readonly version: number; readonly items: IndexFileItem[] } {
  const reader = new WireReader(bytes);
  const items: IndexFileItem[] = [];
  let version = 0;
  while (reader.more) {
    const start = reader.position;
    const { field, type } = reader.tag();
    if (field === 1 && type === VARINT) version = reader.varint();
    else if (field === 3) items.push(decodeItem(reader.message()));
    else if (field === CHECKSUM_FIELD && type === FIXED32) {
      if (reader.fixed32() !== crc32(bytes.subarray(0, start))) throw new RangeError("The checksum differs.");
    } else reader.skipValue(type);
  }
  return { version, items };
}

function encodeItem({ id, metadata, vector, norm }: IndexFileItem): Buffer {
  const numbers = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return Buffer.concat([
    textField(1, id),
    ...Object.entries(metadata).map(([key, value]) =>
      bytesField(2, Buffer.concat([textField(1, key), bytesField(2, encodeValue(value))])),
    ),
    bytesField(3, numbers),
    doubleField(4, norm),
  ]);
}

function encodeValue(value: string | number | boolean): Buffer {
  if (typeof value === "string") return textField(1, value);
  if (typeof value === "number") return doubleField(2, value);
  return Buffer.concat([tag(3, VARINT), varint(value ? 1 : 0)]);
}

function decodeItem(reader: WireReader): IndexFileItem {
  const metadata: Record<string, string | number | boolean> = {};
  let id = "";
  let vector: Float32Array = new Float32Array(0);
  let norm = 0;
  while (reader.more) {
    const { field, type } = reader.tag();
    if (field === 1) id = reader.text();
    else if (field === 2) decodeEntry(reader.message(), metadata);
    else if (field === 3) vector = floats(reader.raw());
    else if (field === 4) norm = reader.double();
    else reader.skipValue(type);
  }
  return { id, metadata, vector, norm };
}

function decodeEntry(reader: WireReader, metadata: Record<string, string | number | boolean>): void {
  let key = "";
  let value: string | number | boolean = "";
  while (reader.more) {
    const { field, type } = reader.tag();
    if (field === 1) key = reader.text();
    else if (field === 2) value = decodeValue(reader.message());
    else reader.skipValue(type);
  }
  if (key !== "__proto__") metadata[key] = value;
}

function decodeValue(reader: WireReader): string | number | boolean {
  let value: string | number | boolean = "";
  while (reader.more) {
    const { field, type } = reader.tag();
    if (field === 1) value = reader.text();
    else if (field === 2) value = reader.double();
    else if (field === 3) value = reader.varint() === 1;
    else reader.skipValue(type);
  }
  return value;
}
