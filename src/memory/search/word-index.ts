import { setImmediate as untilIdle } from "node:timers/promises";
import { computeRarity, TopScores } from "./ranking.ts";
import { listTerms, visitTerms } from "./words.ts";

/** A text that shares words with a query. */
export interface WordHit {
  readonly doc: number;
  /** BM25. */
  readonly score: number;
  /** The share of the query's words that the text contains, weighted by rarity: 0 to 1. */
  readonly coverage: number;
}

const K1 = 1.2;
const B = 0.75;
/** A query uses at most this many of its rarest words, preferring those in texts. It stops once they have occurred in this many texts. */
const MAX_TERMS = 32;
const MAX_POSTINGS = 150_000;
/** After this many texts, the event loop gets a turn. */
const TURN_POSTINGS = 25_000;

/** Finds texts by their words (BM25). Texts are numbered from 0, and numbers aren't reused. */
export class WordIndex {
  private readonly terms = new Map<number, number>();
  private readonly postings = new Postings();
  /** The number of words in each text; 0 for a removed text. */
  private readonly lengths = new PagedNumbers();
  private words = 0;
  private alive = 0;

  /** Returns the text's number. */
  add(text: string): number {
    return this.addTerms(listTerms(text));
  }

  /** Adds a text as a list of word numbers; see `listTerms`. */
  addTerms(terms: Iterable<number>): number {
    const doc = this.lengths.push(0);
    let length = 0;
    for (const term of terms) {
      this.post(term, doc);
      length++;
    }
    this.lengths.set(doc, Math.max(length, 1));
    this.words += length;
    this.alive++;
    return doc;
  }

  remove(doc: number): void {
    this.words -= this.lengths.get(doc);
    this.lengths.set(doc, 0);
    this.alive--;
  }

  /** The texts that match the query best, best first. The event loop gets turns in between. */
  async search(
    query: string,
    count: number,
    isWanted: (doc: number) => boolean = () => true,
  ): Promise<readonly WordHit[]> {
    const asked = this.listQueryTerms(query);
    const whole = asked.reduce((sum, { weight }) => sum + weight, 0);
    const sums = new Sums(this.lengths.length);
    let turn = TURN_POSTINGS;
    for (const { index, weight } of asked) {
      if (index === undefined || sums.postings >= MAX_POSTINGS) continue;
      this.collect(index, weight, sums);
      if (sums.postings < turn) continue;
      turn = sums.postings + TURN_POSTINGS;
      await untilIdle();
    }
    const best = new TopScores<WordHit>(count);
    for (const doc of sums.docs) {
      const score = sums.scores[doc] ?? 0;
      const coverage = Math.min(1, (sums.weights[doc] ?? 0) / whole);
      if (score > best.floor && isWanted(doc)) best.offer({ doc, score, coverage }, score);
    }
    return best.list().map((hit) => hit.value);
  }

  /** The query's words, rarest first. Words that no text contains come last, so that they don't displace others. */
  private listQueryTerms(query: string): readonly { readonly index: number | undefined; readonly weight: number }[] {
    const terms = new Set<number>();
    visitTerms(query, (term) => terms.add(term));
    return [...terms]
      .map((term) => ({ index: this.terms.get(term), weight: this.computeWeight(term) }))
      .sort((a, b) => Number(a.index === undefined) - Number(b.index === undefined) || b.weight - a.weight)
      .slice(0, MAX_TERMS);
  }

  private post(term: number, doc: number): void {
    let index = this.terms.get(term);
    if (index === undefined) {
      index = this.postings.begin();
      this.terms.set(term, index);
    }
    this.postings.add(index, doc);
  }

  private computeWeight(term: number): number {
    const index = this.terms.get(term);
    const having = index === undefined ? 0 : Math.min(this.postings.count(index), this.alive);
    return computeRarity(this.alive, having);
  }

  private collect(index: number, weight: number, sums: Sums): void {
    const average = Math.max(1, this.words / Math.max(1, this.alive));
    this.postings.visitPostings(index, (doc, times) => {
      const length = this.lengths.get(doc);
      if (length === 0) return;
      sums.add(doc, (weight * times * (K1 + 1)) / (times + K1 * (1 - B + (B * length) / average)), weight);
    });
  }
}

/** The sum of the scores of a query's words for each text. */
class Sums {
  readonly scores: Float32Array;
  readonly weights: Float32Array;
  readonly docs: number[] = [];
  postings = 0;

  constructor(docs: number) {
    this.scores = new Float32Array(docs);
    this.weights = new Float32Array(docs);
  }

  add(doc: number, score: number, weight: number): void {
    this.postings++;
    if (this.weights[doc] === 0) this.docs.push(doc);
    this.scores[doc] = (this.scores[doc] ?? 0) + score;
    this.weights[doc] = (this.weights[doc] ?? 0) + weight;
  }
}

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
const LONGEST_BLOCK = 1024;
/** The size of a block's header: the position of the previous block, as in `newest`, and the block's capacity in pairs. */
const HEAD = 2;

/** Receives a pair: a text, and how often the term occurs in it. */
type VisitPosting = (doc: number, times: number) => void;

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
    const length = Math.min(LONGEST_BLOCK, Math.max(SHORTEST, 2 * room));
    const start = this.numbers.push(block);
    this.numbers.push(length);
    for (let i = 0; i < 2 * length; i++) this.numbers.push(0);
    this.newest.set(term, start + 1);
    this.used.set(term, 1);
    return start + HEAD;
  }
}
