import { type Dots, scanKernel } from "../search/scan-kernel.ts";

/** At most this many words of a query are compared: the most informative ones. */
const MOST_ASKED = 16;
/** The kernel needs rows padded with zeros to a multiple of this. */
const LANES = 16;
const PAGE_BYTES = 65536;
/** Deduction per logarithm of the number of words: the more words there are, the nearer the nearest one is by chance. */
const CROWD = 0.1;

/** A word's number, with its row of the table. */
export type WordRow = readonly [word: number, row: Int8Array];

/**
 * How near the words of texts are to those of a query. Each word of the query has the cosine of the nearest word in the text. These cosines
 * are averaged by the squares of their rows' lengths. The rest of the text counts little, unlike in the cosine of two sums.
 */
export class NearestWords {
  private readonly stride: number;
  private readonly floats: Float32Array<ArrayBuffer>;
  private readonly dots: Dots;

  /** `numbers`: length of a row. */
  constructor(numbers: number) {
    this.stride = Math.ceil(numbers / LANES) * LANES;
    const bytes = 4 * (this.stride * (MOST_ASKED + 1) + MOST_ASKED);
    const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) });
    this.floats = new Float32Array(memory.buffer);
    this.dots = scanKernel(memory);
  }

  /** Returns one number for each text, at most 1. */
  measureNearness(query: Iterable<WordRow>, texts: readonly Iterable<WordRow>[]): readonly number[] {
    const asked = [...new Map(query).values()]
      .map((row) => ({ row, squares: sumRowSquares(row) }))
      .sort((one, other) => other.squares - one.squares)
      .slice(0, MOST_ASKED);
    for (const [place, { row, squares }] of asked.entries()) this.write(place + 1, row, squares);
    const whole = asked.reduce((sum, { squares }) => sum + squares, 0);
    const shares = asked.map(({ squares }) => squares / (whole || 1));
    const known = new Map<number, Float32Array>();
    return texts.map((text) => {
      const words = new Map(text);
      for (const [word, row] of words) if (!known.has(word)) known.set(word, this.computeCosines(row, asked.length));
      const cosines = [...words.keys()].flatMap((word) => known.get(word) ?? []);
      const mean = shares.reduce((sum, share, place) => sum + share * findHighestCosine(cosines, place), 0);
      return mean - CROWD * Math.log(Math.max(1, words.size));
    });
  }

  /** The cosines of a row with the rows of the query. */
  private computeCosines(row: Int8Array, asked: number): Float32Array {
    this.write(0, row, sumRowSquares(row));
    const scores = this.stride * (asked + 1);
    this.dots(0, this.stride * 4, asked, this.stride * 4, scores * 4);
    return this.floats.slice(scores, scores + asked);
  }

  /** Writes a row, scaled to length one. */
  private write(place: number, row: Int8Array, squares: number): void {
    const scale = 1 / Math.sqrt(squares || 1);
    const start = place * this.stride;
    for (let at = 0; at < row.length; at++) this.floats[start + at] = (row[at] ?? 0) * scale;
  }
}

/** The highest cosine with one word of the query. */
function findHighestCosine(cosines: readonly Float32Array[], place: number): number {
  let best = -1;
  for (const each of cosines) best = Math.max(best, each[place] ?? -1);
  return best;
}

function sumRowSquares(row: Int8Array): number {
  let squares = 0;
  for (let at = 0; at < row.length; at++) squares += (row[at] ?? 0) ** 2;
  return squares;
}

/** The length of a row. Rows of more informative words are longer. */
export function computeRowLength(row: Int8Array): number {
  return Math.sqrt(sumRowSquares(row));
}
