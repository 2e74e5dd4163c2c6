import { hash30 } from "./hash30.ts";
import { isStopWord } from "./stop-words.ts";
import { eachWord } from "./words.ts";

/** Visits a number for each word that counts in a search; words that differ only in their ending share it. */
export function eachTerm(text: string, visit: (term: number) => void): void {
  eachWord(text, (codes, length) => {
    if (!isStopWord(codes, length)) visit(hash30(codes, 0, stem(codes, length)));
  });
}

/** English endings, the first that fits is cut off, or changed. */
const ENDINGS: readonly (readonly [ending: string, instead?: string])[] = [
  ["ies", "y"],
  ["sses", "ss"],
  ["ing"],
  ["edly"],
  ["ed"],
  ["ly"],
  ["es"],
  ["s"],
  ["e"],
];
const LEAST_STEM = 3;
/** s, g, d, y, e */
const LAST_LETTERS: readonly number[] = [115, 103, 100, 121, 101];

/** The length of the word without its ending; letters are changed in place where the stem wants it. */
function stem(codes: Uint16Array, length: number): number {
  if (length <= LEAST_STEM || !LAST_LETTERS.includes(codes[length - 1] ?? 0)) return length;
  for (const [ending, instead = ""] of ENDINGS) {
    const rest = length - ending.length;
    if (rest < LEAST_STEM || !endsWith(codes, length, ending)) continue;
    if (ending === "s" && codes[rest - 1] === 115) continue;
    for (let i = 0; i < instead.length; i++) codes[rest + i] = instead.charCodeAt(i);
    return rest + instead.length;
  }
  return length;
}

function endsWith(codes: Uint16Array, length: number, ending: string): boolean {
  for (let i = 0; i < ending.length; i++) {
    if (codes[length - ending.length + i] !== ending.charCodeAt(i)) return false;
  }
  return true;
}
