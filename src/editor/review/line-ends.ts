/** One line and how it ends: "\n", "\r\n", "\r", or "" for the last one. */
export interface TextLine {
  readonly text: string;
  readonly end: string;
}

/** Splits a text into lines as the editor counts them: one more than there are line ends, so that a missing final newline shows. */
export function splitTextLines(text: string): readonly TextLine[] {
  const lines: TextLine[] = [];
  let from = 0;
  for (const { index, 0: end } of text.matchAll(/\r\n|\r|\n/g)) {
    lines.push({ text: text.slice(from, index), end });
    from = index + end.length;
  }
  return [...lines, { text: text.slice(from), end: "" }];
}

/** Joins lines. A line that is no longer last gets `end`, and the new last line loses its line end. */
export function joinLines(lines: readonly TextLine[], end: string): string {
  const last = lines.length - 1;
  const ends = lines.map((line, index) => (index === last ? "" : line.end || end));
  // A return and the newline of an empty line after it would become one line end.
  const parted = ends.map((own, index) =>
    own === "\r" && lines[index + 1]?.text === "" && ends[index + 1] === "\n" ? "\r\n" : own,
  );
  return lines.map((line, index) => line.text + parted[index]).join("");
}

/** The line end of the first line; undefined for a text of one line. */
export function findLineEnd(text: string): string | undefined {
  return /\r\n|\r|\n/.exec(text)?.[0];
}

/** The line end that the editor uses for a text: "\r\n" when most lines have it; undefined for a text of one line. */
export function findEditorLineEnd(text: string): "\n" | "\r\n" | undefined {
  const ends = text.match(/\r\n|\r|\n/g) ?? [];
  if (ends.length === 0) return undefined;
  const withReturn = ends.filter((end) => end !== "\n").length;
  return withReturn > ends.length / 2 ? "\r\n" : "\n";
}

/** Gives every line the same line end. */
export function unifyLineEnds(text: string, end: string): string {
  return text.replace(/\r\n|\r|\n/g, end);
}
