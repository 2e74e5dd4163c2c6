import { omitUndefined } from "../core/base/objects.ts";
import { formatCount, formatQuantity } from "../core/base/text.ts";

/** Limits of a page; a longer line is cut. */
const MOST_LINES = 2000;
export const MOST_CHARACTERS = 48_000;
const LONGEST_LINE = 2000;

/** A part of a text that fits into a prompt. */
export interface TextPage {
  readonly text: string;
  /** Number of lines of the whole text. */
  readonly lines: number;
  /** The last line that is shown. */
  readonly last: number;
  /** A note on missing parts and how to read them; undefined when everything requested is shown. */
  readonly note?: string;
}

/** Options of a page. */
export interface TextPageOptions {
  /** Limit on its characters. */
  readonly room?: number;
  /** A header names the lines, so the note doesn't. */
  readonly isNamed?: boolean;
}

/** The lines from `from` (counted from 1) to `to`, or as many of them as fit, at least one. */
export function selectTextPage(
  text: string,
  from = 1,
  to = Number.POSITIVE_INFINITY,
  { room: most = MOST_CHARACTERS, isNamed = false }: TextPageOptions = {},
): TextPage {
  const shown: string[] = [];
  let room = most;
  let cut = 0;
  let isFull = false;
  let line = 0;
  // A line end at the very end of the text starts no further line.
  for (let start = 0; start < text.length; ) {
    const end = findLineEnd(text, start);
    line += 1;
    if (line >= from && line <= to && !isFull) {
      const whole = text.slice(start, end).replace(/\r$/, "");
      const rest = whole.length - LONGEST_LINE;
      const piece =
        rest > 0 ? `${whole.slice(0, LONGEST_LINE)}… [${formatQuantity(rest, "more character")} in this line]` : whole;
      isFull = shown.length > 0 && (piece.length + 1 > room || shown.length === MOST_LINES);
      if (!isFull) {
        room -= piece.length + 1;
        cut += rest > 0 ? 1 : 0;
        shown.push(piece);
      }
    }
    start = end + 1;
  }
  const last = from + shown.length - 1;
  const note = describePage({ from, last, to: Math.min(to, line), all: line, cut, isNamed });
  return { text: shown.join("\n"), lines: line, last, ...omitUndefined({ note }) };
}

function findLineEnd(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return end === -1 ? text.length : end;
}

function describePage(page: {
  from: number;
  last: number;
  to: number;
  all: number;
  cut: number;
  isNamed: boolean;
}): string | undefined {
  const { from, last, to, all, cut, isNamed } = page;
  const notes = [
    !isNamed && (from > 1 || last < all)
      ? `Lines ${formatCount(from)} to ${formatCount(last)} of ${formatCount(all)}.`
      : "",
    last < to ? `Read on with start_line ${last + 1}.` : "",
    cut > 0
      ? `${formatQuantity(cut, "line is", "lines are")} longer than ${formatCount(LONGEST_LINE)} characters and cut; use search_files or execute_shell (cut -c) for the rest.`
      : "",
  ].filter((note) => note !== "");
  return notes.length > 0 ? `[${notes.join(" ")}]` : undefined;
}
