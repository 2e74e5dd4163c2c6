/** A file's name being typed after an `@`. */
export interface Mention {
  /** Where its `@` stands. */
  readonly start: number;
  readonly query: string;
}

const LONGEST_QUERY = 100;

/** The mention the caret is at the end of, if any: an `@` at the beginning of a word, and no space since. */
export function mentionAt(text: string, caret: number): Mention | undefined {
  const match = /(?:^|[\s([{"'`])@([^\s@]*)$/.exec(text.slice(0, caret));
  const query = match?.[1];
  if (query === undefined || query.length > LONGEST_QUERY) return undefined;
  return { start: caret - query.length - 1, query };
}

/** The text with the mention completed, and where the caret goes: behind the path and a space. */
export function completeMention(
  text: string,
  mention: Mention,
  path: string,
): { readonly text: string; readonly caret: number } {
  const rest = text.slice(mention.start + 1 + mention.query.length);
  const written = `@${path}${/^\s/.test(rest) ? "" : " "}`;
  const caret = mention.start + written.length + (/^\s/.test(rest) ? 1 : 0);
  return { text: text.slice(0, mention.start) + written + rest, caret };
}
