/** Words are looked at up to this length; what is longer is a blob. */
const MAX_WORD = 48;

const OTHER = 1;
const LETTER = 2;
/** A sign of a script that is written without spaces. */
const WIDE = 3;

/** What each UTF-16 code is; 0 as long as nobody asked. */
const kinds = new Uint8Array(65536);

/** A word in lower case: the first `length` codes of `codes`, good only during the call. */
export type VisitWord = (codes: Uint16Array, length: number) => void;

/**
 * Visits the words of a text: runs of letters and digits, the parts of camelCase names as well as the whole,
 * and pairs of signs where words are not set apart.
 */
export function eachWord(text: string, visit: VisitWord): void {
  const composed = /[^\0-\x7f]/.test(text) ? text.normalize("NFC") : text;
  let start = 0;
  let running = OTHER;
  for (let i = 0; i <= composed.length; i++) {
    const kind = i < composed.length ? kindOf(composed.charCodeAt(i)) : OTHER;
    if (kind === running) continue;
    if (running === LETTER) visitRun(composed, start, i, visit);
    if (running === WIDE) visitPairs(composed, start, i, visit);
    running = kind;
    start = i;
  }
}

const word = new Uint16Array(MAX_WORD);

function visitRun(text: string, start: number, end: number, visit: VisitWord): void {
  const length = Math.min(end - start, MAX_WORD);
  let hasParts = false;
  for (let i = 0; i < length; i++) {
    word[i] = lower(text.charCodeAt(start + i));
    hasParts ||= i > 0 && beginsPart(text, start + i);
  }
  visit(word, length);
  if (hasParts) visitParts(text, start, start + length, visit);
}

function visitParts(text: string, start: number, end: number, visit: VisitWord): void {
  let part = 0;
  for (let i = start; i <= end; i++) {
    if (i === end || (i > start && beginsPart(text, i))) {
      visit(word, part);
      part = 0;
    }
    if (i < end) word[part++] = lower(text.charCodeAt(i));
  }
}

/** A capital after a small letter: the middle of a camelCase name. */
function beginsPart(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  const before = text.charCodeAt(at - 1);
  return code >= 65 && code <= 90 && before >= 97 && before <= 122;
}

function visitPairs(text: string, start: number, end: number, visit: VisitWord): void {
  for (let i = start; i < Math.max(end - 1, start + 1); i++) {
    word[0] = text.charCodeAt(i);
    word[1] = text.charCodeAt(i + 1);
    visit(word, Math.min(2, end - i));
  }
}

function kindOf(code: number): number {
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
