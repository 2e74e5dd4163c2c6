/** Numbers to a piece: 256 kB, which is soon got and never copied. */
const PIECE_BITS = 16;
const PIECE = 1 << PIECE_BITS;
const WITHIN = PIECE - 1;

/** A growing list of unsigned 32-bit numbers. It grows by a piece at a time, so that no single `push` takes long. */
export class Numbers {
  private readonly pieces: Uint32Array[] = [];
  private used = 0;

  get length(): number {
    return this.used;
  }

  push(value: number): number {
    if ((this.used & WITHIN) === 0) this.pieces.push(new Uint32Array(PIECE));
    this.set(this.used, value);
    return this.used++;
  }

  get(index: number): number {
    return this.pieces[index >>> PIECE_BITS]?.[index & WITHIN] ?? 0;
  }

  set(index: number, value: number): void {
    const piece = this.pieces[index >>> PIECE_BITS];
    if (piece) piece[index & WITHIN] = value;
  }
}
