/** The first or the last lines of a long text. */
export interface Excerpt {
  readonly text: string;
  readonly lines: number;
  /** Something was left out. */
  readonly cut: boolean;
}

/** At most so many lines and characters from the beginning of a text. */
export function excerpt(text: string, maxLines: number, maxChars: number): Excerpt {
  const trimmed = text.replace(/\s+$/, "");
  const lines = trimmed === "" ? 0 : trimmed.split("\n").length;
  const firstLines = lines > maxLines ? trimmed.split("\n", maxLines).join("\n") : trimmed;
  const head =
    firstLines.length > maxChars ? firstLines.slice(0, wholeCharacters(firstLines, maxChars)) : firstLines;
  return { text: head, lines, cut: head.length < trimmed.length };
}

/** At most so many lines and characters from the end of a text. */
export function excerptOfEnd(text: string, maxLines: number, maxChars: number): Excerpt {
  const trimmed = text.replace(/\s+$/, "");
  const lines = trimmed === "" ? [] : trimmed.split("\n");
  const last = lines.slice(-maxLines).join("\n");
  const from = Math.max(0, last.length - maxChars);
  const code = last.charCodeAt(from);
  const tail = last.slice(code >= 0xdc00 && code <= 0xdfff ? from + 1 : from);
  return { text: tail, lines: lines.length, cut: tail.length < trimmed.length };
}

/** Does not part a surrogate pair. */
function wholeCharacters(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
