/** The numbers in a piece: 256 kB, which is quickly allocated and never copied. */
const PIECE_BITS = 16;
const PIECE = 1 << PIECE_BITS;
const WITHIN = PIECE - 1;

/** A growing list of unsigned 32-bit numbers. It grows piece by piece, so that no single `push` takes long. */
export class PagedNumbers {
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

/** The number of pairs in a term's first block, and in its longest ones. */
const SHORTEST = 2;
const LONGEST = 1024;
/** The size of a block's header: the position of the previous block, as in `newest`, and the block's capacity in pairs. */
const HEAD = 2;

/** Receives a pair: a text, and how often the term occurs in it. */
export type VisitPosting = (doc: number, times: number) => void;

/**
 * The texts that contain each term. A term's pairs are in blocks, each twice as long as the previous one. So reading is
 * sequential, and a rare term takes little space.
 */
export class Postings {
  private readonly numbers = new PagedNumbers();
  /** Three numbers for each term: the position of its newest block plus one, the pairs in that block, and all its pairs. */
  private readonly newest = new PagedNumbers();
  private readonly used = new PagedNumbers();
  private readonly counts = new PagedNumbers();

  /** Returns the number of a new term. */
  begin(): number {
    this.newest.push(0);
    this.used.push(0);
    return this.counts.push(0);
  }

  /** The number of texts that contain the term. */
  count(term: number): number {
    return this.counts.get(term);
  }

  /** Counts one more occurrence of the term in a text; texts are added one after another. */
  add(term: number, doc: number): void {
    const used = this.used.get(term);
    const last = this.newest.get(term) - 1 + HEAD + 2 * (used - 1);
    if (used > 0 && this.numbers.get(last) === doc) {
      this.numbers.set(last + 1, this.numbers.get(last + 1) + 1);
      return;
    }
    const place = this.reservePosition(term, used);
    this.numbers.set(place, doc);
    this.numbers.set(place + 1, 1);
    this.counts.set(term, this.counts.get(term) + 1);
  }

  /** Reads a term's pairs, the newest text first. */
  visitPostings(term: number, visit: VisitPosting): void {
    let pairs = this.used.get(term);
    for (let block = this.newest.get(term); block > 0; ) {
      const first = block - 1 + HEAD;
      for (let at = first + 2 * (pairs - 1); at >= first; at -= 2)
        visit(this.numbers.get(at), this.numbers.get(at + 1));
      block = this.numbers.get(block - 1);
      pairs = block > 0 ? this.numbers.get(block) : 0;
    }
  }

  /** Returns the position for the term's next pair. */
  private reservePosition(term: number, used: number): number {
    const block = this.newest.get(term);
    const room = block > 0 ? this.numbers.get(block) : 0;
    if (used < room) {
      this.used.set(term, used + 1);
      return block - 1 + HEAD + 2 * used;
    }
    const length = Math.min(LONGEST, Math.max(SHORTEST, 2 * room));
    const start = this.numbers.push(block);
    this.numbers.push(length);
    for (let i = 0; i < 2 * length; i++) this.numbers.push(0);
    this.newest.set(term, start + 1);
    this.used.set(term, 1);
    return start + HEAD;
  }
}
