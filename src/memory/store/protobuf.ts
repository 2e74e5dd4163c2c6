/** The wire types of protobuf fields. */
export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
export const FIXED32 = 5;

/** The tag of a value: the field's number and its wire type. */
export function tag(field: number, type: number): number {
  return field * 8 + type;
}

/** The size of a number as a varint. */
function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) size++;
  return size;
}

/** The size of a field with `length` bytes, including its tag and its length. */
export function fieldSize(tag: number, length: number): number {
  return varintSize(tag) + varintSize(length) + length;
}

/** Writes protobuf fields one after another; the length of a message must be known in advance. */
export class WireWriter {
  private bytes: Buffer;
  private at = 0;

  constructor(capacity: number) {
    this.bytes = Buffer.allocUnsafeSlow(capacity);
  }

  get position(): number {
    return this.at;
  }

  /** The bytes written so far, without a copy. */
  get written(): Buffer {
    return this.bytes.subarray(0, this.at);
  }

  varint(value: number): void {
    this.makeRoom(10);
    let rest = value;
    while (rest > 127) {
      this.bytes[this.at++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.bytes[this.at++] = rest;
  }

  /** Writes the tag and the length of a field. */
  head(tag: number, length: number): void {
    this.varint(tag);
    this.varint(length);
  }

  text(tag: number, value: string): void {
    const length = Buffer.byteLength(value);
    this.head(tag, length);
    this.makeRoom(length);
    this.bytes.write(value, this.at);
    this.at += length;
  }

  raw(tag: number, value: Uint8Array): void {
    this.head(tag, value.length);
    this.makeRoom(value.length);
    this.bytes.set(value, this.at);
    this.at += value.length;
  }

  double(tag: number, value: number): void {
    this.varint(tag);
    this.makeRoom(8);
    this.at = this.bytes.writeDoubleLE(value, this.at);
  }

  fixed32(tag: number, value: number): void {
    this.varint(tag);
    this.makeRoom(4);
    this.at = this.bytes.writeUInt32LE(value, this.at);
  }

  private makeRoom(length: number): void {
    if (this.at + length <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow((this.at + length) * 2);
    larger.set(this.written);
    this.bytes = larger;
  }
}

/** Reads protobuf fields one by one; the caller reads each value by its tag. Throws `RangeError` if the bytes are damaged. */
export class WireReader {
  readonly bytes: Buffer;
  private at: number;

  constructor(bytes: Buffer, start = 0) {
    this.bytes = bytes;
    this.at = start;
  }

  get position(): number {
    return this.at;
  }

  /** False at the end of a message, or of all bytes if no end is given. */
  within(end = this.bytes.length): boolean {
    if (this.at > end) throw new RangeError("A field reaches past the end of its message.");
    return this.at < end;
  }

  /** A field's number times eight, plus its wire type. */
  tag(): number {
    return this.varint();
  }

  varint(): number {
    const first = this.bytes[this.skip(1)] ?? 0;
    if (first < 128) return first;
    let value = first % 128;
    for (let factor = 128; factor < 2 ** 53; factor *= 128) {
      const byte = this.bytes[this.skip(1)] ?? 0;
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
    throw new RangeError("A number is too long.");
  }

  double(): number {
    return this.bytes.readDoubleLE(this.skip(8));
  }

  fixed32(): number {
    return this.bytes.readUInt32LE(this.skip(4));
  }

  text(): string {
    const length = this.varint();
    const start = this.skip(length);
    return this.bytes.toString("utf8", start, start + length);
  }

  /** The four-byte numbers of a field, without a copy if they are aligned. */
  floats(): Float32Array {
    const length = this.varint();
    const start = this.skip(length);
    const { buffer, byteOffset } = this.bytes;
    const count = Math.floor(length / 4);
    if ((byteOffset + start) % 4 === 0) return new Float32Array(buffer, byteOffset + start, count);
    const copy = new Uint8Array(count * 4);
    copy.set(this.bytes.subarray(start, start + copy.length));
    return new Float32Array(copy.buffer);
  }

  /** Enters a message and returns its end. */
  message(): number {
    const length = this.varint();
    return this.at + length;
  }

  skipValue(tagRead: number): void {
    switch (tagRead % 8) {
      case VARINT:
        this.varint();
        return;
      case FIXED64:
        this.skip(8);
        return;
      case BYTES:
        this.skip(this.varint());
        return;
      case FIXED32:
        this.skip(4);
        return;
      default:
        throw new RangeError("A field has no known type.");
    }
  }

  /** Skips bytes and returns where they began. */
  private skip(length: number): number {
    const start = this.at;
    if (start + length > this.bytes.length) throw new RangeError("A value reaches past the end.");
    this.at += length;
    return start;
  }
}
