import { hash30 } from "./hash30.ts";

/** English words that say nothing about what a text is about. */
const STOP_WORDS =
  "a an and are as at be but by can could did do does for from had has have how i if in into is it its may me might must my no not of on or our should so some such than that the their then there these they this to us was we were what when where which who whom whose why will with would you your";

const LONGEST = 5;

let hashes: ReadonlySet<number> | undefined;

/** True for a word that every text has; `codes` as `eachWord` gives them. */
export function isStopWord(codes: Uint16Array, length: number): boolean {
  if (length > LONGEST) return false;
  hashes ??= new Set(STOP_WORDS.split(" ").map(hashOf));
  return hashes.has(hash30(codes, 0, length));
}

function hashOf(word: string): number {
  return hash30(
    Uint16Array.from(word, (sign) => sign.charCodeAt(0)),
    0,
    word.length,
  );
}
