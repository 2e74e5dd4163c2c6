/** How a protobuf field is written. */
export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
export const FIXED32 = 5;

/** A field number and type as they stand before a value. */
export function tag(field: number, type: number): Buffer {
  return varint(field * 8 + type);
}

export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}

/** A field whose value is a run of bytes: text, a message, packed numbers. */
export function bytesField(field: number, value: Uint8Array): Buffer {
  return Buffer.concat([tag(field, BYTES), varint(value.length), value]);
}

export function textField(field: number, value: string): Buffer {
  return bytesField(field, Buffer.from(value));
}

export function doubleField(field: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([tag(field, FIXED64), bytes]);
}

/** Reads protobuf fields one by one. Throws `RangeError` at bytes that are none. */
export class WireReader {
  readonly bytes: Buffer;
  private at: number;
  private readonly end: number;

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
  }

  get more(): boolean {
    return this.at < this.end;
  }

  get position(): number {
    return this.at;
  }

  tag(): { readonly field: number; readonly type: number } {
    const value = this.varint();
    return { field: Math.floor(value / 8), type: value % 8 };
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; factor < 2 ** 53; factor *= 128) {
      const byte = this.bytes.readUInt8(this.skip(1));
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

  /** The bytes of a field, not copied. */
  raw(): Buffer {
    const length = this.varint();
    const start = this.skip(length);
    return this.bytes.subarray(start, start + length);
  }

  /** A message within this one. */
  message(): WireReader {
    const length = this.varint();
    const start = this.skip(length);
    return new WireReader(this.bytes, start, start + length);
  }

  skipValue(type: number): void {
    if (type === VARINT) this.varint();
    else if (type === FIXED64) this.skip(8);
    else if (type === BYTES) this.raw();
    else if (type === FIXED32) this.skip(4);
    else throw new RangeError("A field has no known type.");
  }

  /** Moves on; where it was. */
  private skip(length: number): number {
    const start = this.at;
    if (start + length > this.end) throw new RangeError("A value reaches past its end.");
    this.at += length;
    return start;
  }
}
