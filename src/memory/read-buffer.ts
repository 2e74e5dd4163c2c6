/** Memory that files are read into, one after the other: each file's bytes are good until the next one is read. */
export class ReadBuffer {
  private bytes = Buffer.alloc(0);

  take(size: number): Buffer {
    if (size > this.bytes.length) this.bytes = Buffer.allocUnsafeSlow(Math.ceil(size * 1.25));
    return this.bytes.subarray(0, size);
  }
}
