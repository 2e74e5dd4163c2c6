/** A growing list of unsigned 32-bit numbers in one piece of memory. */
export class Numbers {
  private values = new Uint32Array(1024);
  private used = 0;

  get length(): number {
    return this.used;
  }

  push(value: number): number {
    if (this.used === this.values.length) {
      const larger = new Uint32Array(this.used * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.used] = value;
    return this.used++;
  }

  get(index: number): number {
    return this.values[index] ?? 0;
  }

  set(index: number, value: number): void {
    this.values[index] = value;
  }
}
