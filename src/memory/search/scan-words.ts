import { setImmediate as untilIdle } from "node:timers/promises";
import { computeRarity, TopScores, type WordMatch } from "./ranking.ts";
import { visitTerms } from "./words.ts";

/** The most words of a query: each has a bit of a number. */
const MAX_TERMS = 31;
/** The number of flags. The query's words set some, and most words of a text hit none of them. */
const SIEVE = 4_096;
/** The clock is read after this many texts; the event loop gets a turn after this time. */
const TURN = 256;
const TURN_MS = 5;

/** Finds the values that share the most important words with a query, best first, by scanning all words of all values. */
export async function scanWords<T>(
  query: string,
  count: number,
  values: readonly T[],
  termsOf: (value: T) => ArrayLike<number>,
  isWanted: (value: T) => boolean = () => true,
): Promise<readonly WordMatch<T>[]> {
  const asked = new Map<number, number>();
  visitTerms(query, (term) => {
    if (asked.size < MAX_TERMS && !asked.has(term)) asked.set(term, 1 << asked.size);
  });
  const found: { readonly value: T; readonly bits: number }[] = [];
  const sieve = new Uint8Array(SIEVE);
  for (const term of asked.keys()) sieve[term % SIEVE] = 1;
  let until = performance.now() + TURN_MS;
  for (const [place, value] of values.entries()) {
    if (place % TURN === 0 && performance.now() > until) {
      await untilIdle();
      until = performance.now() + TURN_MS;
    }
    let bits = 0;
    const terms = termsOf(value);
    for (let i = 0; i < terms.length; i++) {
      const term = terms[i] ?? 0;
      if (sieve[term % SIEVE] === 1) bits |= asked.get(term) ?? 0;
    }
    if (bits !== 0 && isWanted(value)) found.push({ value, bits });
  }
  const weights = [...asked.values()].map((bit) => ({
    bit,
    weight: computeRarity(
      values.length,
      found.reduce((having, { bits }) => having + ((bits & bit) === 0 ? 0 : 1), 0),
    ),
  }));
  const whole = weights.reduce((sum, { weight }) => sum + weight, 0);
  const best = new TopScores<T>(count);
  for (const { value, bits } of found) {
    best.offer(
      value,
      weights.reduce((sum, { bit, weight }) => sum + ((bits & bit) === 0 ? 0 : weight), 0),
    );
  }
  return best.list().map(({ value, score }) => ({ value, coverage: score / whole }));
}
