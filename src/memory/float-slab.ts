/** One piece of memory for the numbers of many vectors, so that reading them does not cost an allocation each. */
export class FloatSlab {
  private readonly bytes: Uint8Array<ArrayBuffer>;
  private used = 0;

  /** `capacity` in bytes. */
  constructor(capacity: number) {
    this.bytes = new Uint8Array(Math.ceil(capacity / 4) * 4);
  }

  /** Numbers as they lie in a file, copied to where they can be used. */
  take(numbers: Uint8Array): Float32Array {
    const length = Math.floor(numbers.length / 4);
    const start = this.used;
    this.bytes.set(numbers.subarray(0, length * 4), start);
    this.used += length * 4;
    return new Float32Array(this.bytes.buffer, start, length);
  }
}
