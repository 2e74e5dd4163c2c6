/** Short pieces are put together up to this length. */
const PIECE = 8_000;

/** Keeps the end of a stream of text, at most about `most` characters, in whole pieces or from the start of a line. */
export class Tail {
  private readonly most: number;
  private pieces: string[] = [];
  private length = 0;
  private cut = false;

  constructor(most: number) {
    this.most = most;
  }

  add(piece: string): void {
    const kept = piece.length > this.most ? fromLineStart(piece.slice(-this.most)) : piece;
    if (kept.length < piece.length) this.clear();
    this.cut ||= kept.length < piece.length;
    const last = this.pieces.at(-1);
    const joined = last !== undefined && last.length + kept.length <= Math.min(PIECE, this.most / 2);
    if (joined) this.pieces[this.pieces.length - 1] = last + kept;
    else this.pieces.push(kept);
    this.length += kept.length;
    while (this.length > this.most) this.dropFirst();
  }

  /** What is kept, and whether something before it is not. */
  read(): { readonly text: string; readonly cut: boolean } {
    return { text: this.pieces.join(""), cut: this.cut };
  }

  /** The same, and begins anew. */
  take(): { readonly text: string; readonly cut: boolean } {
    const taken = this.read();
    this.clear();
    this.cut = false;
    return taken;
  }

  private dropFirst(): void {
    this.length -= this.pieces.shift()?.length ?? 0;
    this.cut = true;
  }

  private clear(): void {
    this.pieces = [];
    this.length = 0;
  }
}

/** A cut may fall into a control sequence; the next line begins outside of one. */
function fromLineStart(text: string): string {
  return text.slice(text.indexOf("\n") + 1);
}
