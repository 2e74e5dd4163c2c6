/** The first or the last lines of a long text. */
export interface Excerpt {
  readonly text: string;
  readonly lines: number;
  /** Something was left out. */
  readonly cut: boolean;
}

/** The beginning of a text, with at most this many lines and characters. */
export function cutExcerpt(text: string, maxLines: number, maxChars: number): Excerpt {
  const trimmed = text.replace(/\s+$/, "");
  const lines = trimmed === "" ? 0 : countLines(trimmed);
  const head = takeBeginning(trimmed, maxLines, maxChars);
  return { text: head, lines, cut: head.length < trimmed.length };
}

/** The end of a text, with at most this many lines and characters. */
export function cutEndExcerpt(text: string, maxLines: number, maxChars: number): Excerpt {
  const trimmed = text.replace(/\s+$/, "");
  const lines = trimmed === "" ? 0 : countLines(trimmed);
  const tail = takeEnding(trimmed, maxLines, maxChars);
  return { text: tail, lines, cut: tail.length < trimmed.length };
}

/** A long text's beginning and end. */
export interface TextEnds {
  readonly first: string;
  readonly last: string;
}

const SHORT = { lines: 10, chars: 1_200 };
const FIRST = { lines: 3, chars: 200 };
const LAST = { lines: 3, chars: 240 };

/** Both ends of a text; undefined if it's short enough to show in full. */
export function findTextEnds(text: string): TextEnds | undefined {
  if (text.length <= SHORT.chars && countLines(text) <= SHORT.lines) return undefined;
  const first = takeBeginning(text, FIRST.lines, FIRST.chars);
  return { first, last: takeEnding(text.slice(first.length), LAST.lines, LAST.chars) };
}

/** Number of lines; a line end at the end of the text doesn't start another one. */
export function countLines(text: string): number {
  return (text.match(/\n(?!$)/g)?.length ?? 0) + 1;
}

function takeBeginning(text: string, lines: number, chars: number): string {
  const end = text.split("\n", lines).join("\n").length;
  return text.slice(0, end > chars ? alignToCharacters(text, chars) : end);
}

function takeEnding(text: string, lines: number, chars: number): string {
  const length = text.split("\n").slice(-lines).join("\n").length;
  const from = text.length - Math.min(length, chars);
  const first = text.charCodeAt(from);
  return text.slice(first >= 0xdc00 && first <= 0xdfff ? from + 1 : from);
}

/** Moves an end position so that it doesn't split a surrogate pair. */
function alignToCharacters(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
