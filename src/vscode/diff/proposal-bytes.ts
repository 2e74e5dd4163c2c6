/** How the editor may read files that say nothing of their encoding. */
export interface Encodings {
  /** All values of `files.encoding` that may apply. */
  readonly settings: readonly string[];
  /** The editor guesses, by `files.autoGuessEncoding`. */
  readonly guesses: boolean;
}

const BYTE_ORDER_MARK = "\ufeff";

/**
 * A text as bytes that the editor reads as UTF-8. A byte order mark is added only where it wouldn't do so by itself, since the
 * status bar then says "UTF-8 with BOM" of a file that has none.
 */
export function proposalBytes(text: string, { settings, guesses }: Encodings): Uint8Array {
  const isPlain =
    !guesses && settings.every((encoding) => encoding === "utf8") && !text.startsWith(BYTE_ORDER_MARK);
  return new TextEncoder().encode(isPlain ? text : BYTE_ORDER_MARK + text);
}
