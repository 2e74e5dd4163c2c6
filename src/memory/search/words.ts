/** FNV-1a over UTF-16 codes, then mixed: 30 bits (which engines store as small integers), the same on every machine. */
export function hash30(codes: Uint16Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ (codes[i] ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 2;
}

/** Only this many letters of a word are read: longer words are blobs. */
const MAX_WORD = 48;

const OTHER = 1;
const LETTER = 2;
/** A character of a script that is written without spaces. */
const WIDE = 3;

/** The kind of each UTF-16 code; 0 until it's computed. */
const kinds = new Uint8Array(65536);
const word = new Uint16Array(MAX_WORD);

/** A word in lower case: the first `length` codes of `codes`, valid only during the call. */
export type VisitWord = (codes: Uint16Array, length: number) => void;

/**
 * Visits the words of a text: runs of letters and digits, camelCase names both whole and in parts, and pairs of
 * characters in scripts without spaces.
 */
export function visitWords(text: string, visit: VisitWord): void {
  const composed = /[^\0-\x7f]/.test(text) ? limitMarks(text).normalize("NFC") : text;
  let [length, start, hasParts, before] = [0, 0, false, OTHER];
  for (let i = 0; i <= composed.length; i++) {
    const kind = i < composed.length ? getCharacterKind(composed.charCodeAt(i)) : OTHER;
    if (kind === LETTER && length < MAX_WORD) {
      if (length === 0) start = i;
      else hasParts ||= isPartStart(composed, i);
      word[length++] = lower(composed.charCodeAt(i));
    }
    if (kind !== LETTER && length > 0) {
      visit(word, length);
      if (hasParts) visitParts(composed, start, start + length, visit);
      [length, hasParts] = [0, false];
    }
    if (kind === WIDE) visitWide(composed, i, before === WIDE, visit);
    before = kind;
  }
}

/**
 * Removes all but the first 30 combining marks on a letter, which is more than any language needs. The time to normalize marks grows with
 * the square of their number: a repository could craft a text that takes seconds.
 */
export function limitMarks(text: string): string {
  return text.replace(/(\p{M}{30})\p{M}+/gu, "$1");
}

function visitParts(text: string, start: number, end: number, visit: VisitWord): void {
  let part = 0;
  for (let i = start; i <= end; i++) {
    if (i === end || (i > start && isPartStart(text, i))) {
      visit(word, part);
      part = 0;
    }
    if (i < end) word[part++] = lower(text.charCodeAt(i));
  }
}

/** True at an uppercase letter after a lowercase one, where a part of a camelCase name begins. */
function isPartStart(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 65 || code > 90) return false;
  const before = text.charCodeAt(at - 1);
  return before >= 97 && before <= 122;
}

/** Visits the pair that begins with a character, or the character itself if it's alone. */
function visitWide(text: string, at: number, hasBefore: boolean, visit: VisitWord): void {
  const next = text.charCodeAt(at + 1);
  const isPair = at + 1 < text.length && getCharacterKind(next) === WIDE;
  if (!isPair && hasBefore) return;
  word[0] = text.charCodeAt(at);
  word[1] = next;
  visit(word, isPair ? 2 : 1);
}

function getCharacterKind(code: number): number {
  const known = kinds[code];
  if (known) return known;
  const kind = classify(code);
  kinds[code] = kind;
  return kind;
}

function classify(code: number): number {
  const sign = String.fromCharCode(code);
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(sign)) return WIDE;
  return /[\p{L}\p{N}\p{M}]/u.test(sign) ? LETTER : OTHER;
}

function lower(code: number): number {
  if (code < 128) return code >= 65 && code <= 90 ? code + 32 : code;
  return String.fromCharCode(code).toLowerCase().charCodeAt(0);
}

/** English words that say nothing about the subject of a text. */
const STOP_WORDS =
  "a an and are as at be but by can could did do does for from had has have how i if in into is it its may me might must my no not of on or our should so some such than that the their then there these they this to us was we were what when where which who whom whose why will with would you your";

const LONGEST = 5;

let hashes: ReadonlySet<number> | undefined;

/** True for a word that occurs in every text. `codes` are as in `VisitWord`. */
function isStopWord(codes: Uint16Array, length: number): boolean {
  if (length > LONGEST) return false;
  hashes ??= new Set(STOP_WORDS.split(" ").map(hashWord));
  return hashes.has(hash30(codes, 0, length));
}

function hashWord(word: string): number {
  return hash30(
    Uint16Array.from(word, (sign) => sign.charCodeAt(0)),
    0,
    word.length,
  );
}

/** Visits a number for each word that matters in a search. Words that differ only in their ending share a number. */
export function visitTerms(text: string, visit: (term: number) => void): void {
  visitWords(text, (codes, length) => {
    if (!isStopWord(codes, length)) visit(hash30(codes, 0, stemWord(codes, length)));
  });
}

/** The numbers of a text's words that matter in a search. */
export function listTerms(text: string): readonly number[] {
  const terms: number[] = [];
  visitTerms(text, (term) => terms.push(term));
  return terms;
}

/** English endings; the first that matches is removed or replaced. */
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
/** The codes of s, g, d, y and e, the possible last letters of the endings. */
const LAST_LETTERS: readonly number[] = [115, 103, 100, 121, 101];

/** Returns the length of the word without its ending, and changes the stem's letters in place. */
function stemWord(codes: Uint16Array, length: number): number {
  if (length <= LEAST_STEM || !LAST_LETTERS.includes(codes[length - 1] ?? 0)) return length;
  for (const [ending, instead = ""] of ENDINGS) {
    const rest = length - ending.length;
    if (rest < LEAST_STEM || !hasEnding(codes, length, ending)) continue;
    if (ending === "s" && codes[rest - 1] === 115) continue;
    for (let i = 0; i < instead.length; i++) codes[rest + i] = instead.charCodeAt(i);
    return rest + instead.length;
  }
  return length;
}

function hasEnding(codes: Uint16Array, length: number, ending: string): boolean {
  for (let i = 0; i < ending.length; i++) {
    if (codes[length - ending.length + i] !== ending.charCodeAt(i)) return false;
  }
  return true;
}
