import type { Scored } from "./best.ts";

/** A thing found by its meaning, by its words, or by both. */
export interface Fused<T> {
  readonly value: T;
  /** 0 to 1. */
  readonly score: number;
  /** Place among those found by meaning, from 1, and the cosine. */
  readonly meaning?: { readonly rank: number; readonly cosine: number };
  /** Place among those found by words, from 1, and the share of the query they have. */
  readonly words?: { readonly rank: number; readonly coverage: number };
}

/** A thing found by its words. */
export interface Worded<T> {
  readonly value: T;
  readonly coverage: number;
}

/** How little a rank counts; small, so that the first few stand out. */
const DAMPING = 10;
const BEST = 2 / (DAMPING + 1);

/**
 * Joins two rankings by rank. A rank by words counts by how much of the query was met: one common word in a
 * long question says little.
 */
export function fuse<T>(byMeaning: readonly Scored<T>[], byWords: readonly Worded<T>[]): readonly Fused<T>[] {
  const fused = new Map<T, Fused<T>>();
  for (const [index, { value, score }] of byMeaning.entries()) {
    const meaning = { rank: index + 1, cosine: score };
    fused.set(value, { value, score: share(meaning.rank), meaning });
  }
  for (const [index, { value, coverage }] of byWords.entries()) {
    const words = { rank: index + 1, coverage };
    const other = fused.get(value);
    fused.set(value, { value, ...other, score: (other?.score ?? 0) + share(words.rank) * coverage, words });
  }
  return [...fused.values()].sort((a, b) => b.score - a.score);
}

function share(rank: number): number {
  return 1 / (DAMPING + rank) / BEST;
}
