/** How a protobuf field is written. */
export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
export const FIXED32 = 5;

/** What stands before a value: the field's number and its type. */
export function tag(field: number, type: number): number {
  return field * 8 + type;
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
export function bytesField(tag: number, value: Uint8Array): Buffer {
  return Buffer.concat([varint(tag), varint(value.length), value]);
}

export function textField(tag: number, value: string): Buffer {
  return bytesField(tag, Buffer.from(value));
}

export function doubleField(tag: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([varint(tag), bytes]);
}

/** Reads protobuf fields one by one; what follows a tag has to be read by its type. Throws `RangeError` at bytes that are none. */
export class WireReader {
  readonly bytes: Buffer;
  private at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get position(): number {
    return this.at;
  }

  /** False at the end of a message; the end of the whole when none is given. */
  within(end = this.bytes.length): boolean {
    if (this.at > end) throw new RangeError("A field reaches past the end of its message.");
    return this.at < end;
  }

  /** A field's number times eight, plus its type. */
  tag(): number {
    return this.varint();
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; factor < 2 ** 53; factor *= 128) {
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

  /** The bytes of a field, not copied. */
  raw(): Buffer {
    const length = this.varint();
    const start = this.skip(length);
    return this.bytes.subarray(start, start + length);
  }

  /** Enters a message; where it ends. */
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

  /** Moves on; where it was. */
  private skip(length: number): number {
    const start = this.at;
    if (start + length > this.bytes.length) throw new RangeError("A value reaches past the end.");
    this.at += length;
    return start;
  }
}
