/** A piece of a longer text, with where it stands in it. */
export interface Chunk {
  readonly text: string;
  /** From 1. */
  readonly fromLine: number;
  readonly toLine: number;
}

/** About 400 tokens: enough to make sense alone, little enough to be about one thing. */
const MAX_CHARS = 1600;
/** The end of a piece is told again at the start of the next. */
const OVERLAP_CHARS = 160;

/** Cuts a text into pieces that follow each other and overlap a little, at paragraphs where it can, else at lines, sentences, words. */
export function chunks(text: string, maxChars = MAX_CHARS, overlapChars = OVERLAP_CHARS): readonly Chunk[] {
  const pieces: Chunk[] = [];
  let line = 1;
  let counted = 0;
  for (let start = 0; start < text.length; ) {
    const end = endOfPiece(text, start, maxChars);
    line += lineEnds(text, counted, start);
    counted = start;
    const piece = text.slice(start, end);
    if (piece.trim() !== "") {
      const leading = lineEnds(piece, 0, piece.length - piece.trimStart().length);
      const fromLine = line + leading;
      pieces.push({ text: piece.trim(), fromLine, toLine: fromLine + lineEnds(piece.trim(), 0) });
    }
    start = end >= text.length ? end : nextStart(text, start, end, overlapChars);
  }
  return pieces;
}

const BREAKS: readonly RegExp[] = [/\n\s*\n/g, /\n/g, /[.!?。！？]["')\]]?\s+|[。！？]/g, /\s+/g];

/** Where a piece that begins at `start` ends: after the last good break in its second half. */
function endOfPiece(text: string, start: number, maxChars: number): number {
  if (text.length - start <= maxChars) return text.length;
  const half = start + Math.floor(maxChars / 2);
  const window = text.slice(half, start + maxChars);
  for (const breaks of BREAKS) {
    const last = [...window.matchAll(breaks)].at(-1);
    if (last) return half + last.index + last[0].length;
  }
  return wholeSign(text, start + maxChars);
}

/** Somewhat before the end: at the start of a line, or else of a word. */
function nextStart(text: string, start: number, end: number, overlapChars: number): number {
  const back = Math.max(start + 1, end - overlapChars);
  const overlap = text.slice(back, end);
  const line = overlap.search(/\n[^\n]/);
  const word = line < 0 ? overlap.search(/\s\S/) : line;
  return word < 0 ? end : back + word + 1;
}

/** Not between the halves of a sign that takes two. */
function wholeSign(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}

function lineEnds(text: string, from: number, to = text.length): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
