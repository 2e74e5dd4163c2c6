/** Words are looked at up to this length; what is longer is a blob. */
const MAX_WORD = 48;

const OTHER = 1;
const LETTER = 2;
/** A sign of a script that is written without spaces. */
const WIDE = 3;

/** What each UTF-16 code is; 0 as long as nobody asked. */
const kinds = new Uint8Array(65536);
const word = new Uint16Array(MAX_WORD);

/** A word in lower case: the first `length` codes of `codes`, good only during the call. */
export type VisitWord = (codes: Uint16Array, length: number) => void;

/**
 * Visits the words of a text: runs of letters and digits, the parts of camelCase names as well as the whole,
 * and pairs of signs where words are not set apart.
 */
export function eachWord(text: string, visit: VisitWord): void {
  const composed = /[^\0-\x7f]/.test(text) ? text.normalize("NFC") : text;
  let [length, start, hasParts, before] = [0, 0, false, OTHER];
  for (let i = 0; i <= composed.length; i++) {
    const kind = i < composed.length ? kindOf(composed.charCodeAt(i)) : OTHER;
    if (kind === LETTER && length < MAX_WORD) {
      if (length === 0) start = i;
      else hasParts ||= beginsPart(composed, i);
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
  if (code < 65 || code > 90) return false;
  const before = text.charCodeAt(at - 1);
  return before >= 97 && before <= 122;
}

/** The pair that a sign begins, or the sign itself when it stands alone. */
function visitWide(text: string, at: number, hasBefore: boolean, visit: VisitWord): void {
  const next = text.charCodeAt(at + 1);
  const isPair = at + 1 < text.length && kindOf(next) === WIDE;
  if (!isPair && hasBefore) return;
  word[0] = text.charCodeAt(at);
  word[1] = next;
  visit(word, isPair ? 2 : 1);
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
