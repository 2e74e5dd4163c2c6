import { formatQuantity } from "../core/base/text.ts";

/** A piece of a text. */
export interface Piece {
  /** Its start in the whole text, in characters. */
  readonly at: number;
  readonly text: string;
}

/** Cuts a text into pieces of at most `most` characters, preferably at the end of a paragraph or line. */
export function splitIntoPieces(text: string, most: number): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < text.length; ) {
    const piece = text.slice(at, at + most);
    const end = at + piece.length >= text.length ? piece.length : findPieceEnd(piece);
    pieces.push({ at, text: piece.slice(0, end) });
    at += end;
  }
  return pieces;
}

function findPieceEnd(piece: string): number {
  const least = Math.floor(piece.length / 2);
  for (const mark of ["\n\n", "\n", " "]) {
    const found = piece.lastIndexOf(mark);
    if (found > least) return found + mark.length;
  }
  return piece.length;
}

/** The pieces that share most words with a question, in the order of the text. Yields to other work meanwhile. */
export async function selectLikeliestPieces(
  pieces: readonly Piece[],
  question: string,
  count: number,
): Promise<readonly Piece[]> {
  if (pieces.length <= count) return pieces;
  const words = new Set(listLowerCaseWords(question));
  const scores = new Map<Piece, number>();
  for (const [index, piece] of pieces.entries()) {
    scores.set(piece, score(piece, words) - index / pieces.length);
    await new Promise((resolve) => setTimeout(resolve));
  }
  const best = [...pieces].sort((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0)).slice(0, count);
  return best.sort((a, b) => a.at - b.at);
}

/** Each word of the question counts once, and slightly more when it's frequent. */
function score({ text }: Piece, words: ReadonlySet<string>): number {
  const counts = new Map<string, number>();
  for (const word of listLowerCaseWords(text)) if (words.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum + 10 + Math.min(count, 9), 0);
}

function listLowerCaseWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
}

/** Position in a page, for people: the heading above it, and a percentage. */
export function describeTextPosition(text: string, at: number): string {
  const above = findHeadingAbove(text, at);
  const percent = `${Math.round((100 * at) / Math.max(1, text.length))}% down`;
  return above === "" ? percent : `under "${above}", ${percent}`;
}

/** The last heading before a position; searched backwards, because pages are long. */
function findHeadingAbove(text: string, at: number): string {
  for (let line = at + 2; line > 1; ) {
    line = text.lastIndexOf("\n#", line - 2) + 1;
    const heading = /^#{1,6} +(.+)/.exec(text.slice(line, line + 300))?.[1];
    if (heading !== undefined) return heading.trim();
  }
  return "";
}

/** Characters per part of a page. */
const PART = 12_000;

/** One part of a text, from 1, with a note on the others; undefined when there is no such part. */
export function selectTextPart(text: string, part: number): string | undefined {
  const pieces = splitIntoPieces(text, PART);
  const piece = pieces[part - 1];
  if (!piece) return undefined;
  if (pieces.length === 1) return piece.text.trim();
  return `${piece.text.trim()}\n\n[Part ${part} of ${formatQuantity(pieces.length, "part")}. Read another one with the argument part, or ask a question.]`;
}
