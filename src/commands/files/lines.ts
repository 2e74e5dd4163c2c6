/** A line of a text and where it stands. */
export interface Line {
  readonly text: string;
  readonly start: number;
  /** Where its line end begins. */
  readonly end: number;
  /** Where the next line begins. */
  readonly next: number;
}

/** The lines of a text with any line ends. A line end at the very end begins no further line. */
export function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (const match of text.matchAll(/\r\n|\r|\n/g)) {
    const next = match.index + match[0].length;
    lines.push({ text: text.slice(start, match.index), start, end: match.index, next });
    start = next;
  }
  if (start < text.length)
    lines.push({ text: text.slice(start), start, end: text.length, next: text.length });
  return lines;
}

/** The number of the line that a position is in, from 1. */
export function lineAt(text: string, position: number): number {
  return text.slice(0, position).split(/\r\n|\r|\n/).length;
}
