/** A value with its score. */
export interface Scored<T> {
  readonly value: T;
  readonly score: number;
}

/** Keeps the `count` values with the highest scores. */
export class TopScores<T> {
  private readonly count: number;
  /** Lowest score first. */
  private kept: Scored<T>[] = [];

  constructor(count: number) {
    this.count = count;
  }

  /** The score that a new value must exceed. */
  get floor(): number {
    return this.kept.length < this.count ? Number.NEGATIVE_INFINITY : (this.kept[0]?.score ?? Infinity);
  }

  offer(value: T, score: number): void {
    if (!(score > this.floor)) return;
    this.kept.splice(this.findPosition(score), 0, { value, score });
    if (this.kept.length > this.count) this.kept.shift();
  }

  /** The position before the first higher score. */
  private findPosition(score: number): number {
    let [from, to] = [0, this.kept.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.kept[middle]?.score ?? 0) > score) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  /** Highest score first. */
  list(): readonly Scored<T>[] {
    return this.kept.toReversed();
  }
}

/** A value found by its meaning, by its words, or by both. */
export interface FusedHit<T> {
  readonly value: T;
  /** 0 to 1. */
  readonly score: number;
  /** The rank among the values found by meaning, from 1, and the cosine. */
  readonly meaning?: { readonly rank: number; readonly cosine: number };
  /** The rank among the values found by words, from 1, and the share of the query that they contain. */
  readonly words?: { readonly rank: number; readonly coverage: number };
}

/** A value found by its words. */
export interface WordMatch<T> {
  readonly value: T;
  readonly coverage: number;
}

/** The BM25 weight of a query's word that `having` of all texts contain. */
export function computeRarity(all: number, having: number): number {
  return Math.log(1 + (all - having + 0.5) / (having + 0.5));
}

/** The constant of reciprocal rank fusion; small, so that the first ranks stand out. */
const DAMPING = 10;
const BEST = 2 / (DAMPING + 1);

/**
 * Combines two rankings by reciprocal rank fusion. A rank by words is weighted by the square of the share of the query that the text
 * contains. A few common words of a long question mean little.
 */
export function fuse<T>(byMeaning: readonly Scored<T>[], byWords: readonly WordMatch<T>[]): readonly FusedHit<T>[] {
  const fused = new Map<T, FusedHit<T>>();
  for (const [index, { value, score }] of byMeaning.entries()) {
    const meaning = { rank: index + 1, cosine: score };
    fused.set(value, { value, score: share(meaning.rank), meaning });
  }
  for (const [index, { value, coverage }] of byWords.entries()) {
    const words = { rank: index + 1, coverage };
    const other = fused.get(value);
    fused.set(value, {
      value,
      ...other,
      score: (other?.score ?? 0) + share(words.rank) * coverage ** 2,
      words,
    });
  }
  return [...fused.values()].sort((a, b) => b.score - a.score);
}

function share(rank: number): number {
  return 1 / (DAMPING + rank) / BEST;
}
