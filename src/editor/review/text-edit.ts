/** A replacement of one part of a text, by offsets. */
export interface TextReplacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The smallest single replacement that changes one text to another, without splitting a character or a line end. */
export function findSmallestReplacement(from: string, to: string): TextReplacement {
  const most = Math.min(from.length, to.length);
  let start = 0;
  while (start < most && from[start] === to[start]) start++;
  while (start > 0 && (isInside(from, start) || isInside(to, start))) start--;
  let tail = 0;
  while (tail < most - start && from.at(-1 - tail) === to.at(-1 - tail)) tail++;
  while (tail > 0 && (isInside(from, from.length - tail) || isInside(to, to.length - tail))) tail--;
  return { start, end: from.length - tail, text: to.slice(start, to.length - tail) };
}

/** True between the halves of a surrogate pair, or within a two-character line end. */
function isInside(text: string, at: number): boolean {
  return /^(?:[\uD800-\uDBFF][\uDC00-\uDFFF]|\r\n)$/.test(text.slice(at - 1, at + 1));
}
