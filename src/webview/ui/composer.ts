/** The files offered for a mention. */
export interface FileOffer {
  readonly mention: FileMention;
  /** Undefined while the search runs. */
  readonly files?: readonly string[];
  /** Index of the one that Enter inserts. */
  readonly active: number;
}

/** The content of the user's text box. */
export interface ComposerState {
  readonly text: string;
  readonly offer?: FileOffer;
}

export const EMPTY_COMPOSER: ComposerState = { text: "" };

/** The state after an edit or a move of the caret. An offer stays while the same mention is being typed. */
export function withTyped(composer: ComposerState, text: string, caret: number): ComposerState {
  const mention = mentionAt(text, caret);
  if (!mention) return { text };
  const { offer } = composer;
  if (offer?.mention.start !== mention.start) return { text, offer: { mention, active: 0 } };
  return {
    text,
    offer: { ...offer, mention, active: offer.mention.query === mention.query ? offer.active : 0 },
  };
}

/** The state after files were found for a query; files for an older query are ignored. */
export function withFilesFound(
  composer: ComposerState,
  query: string,
  files: readonly string[],
): ComposerState {
  const { offer } = composer;
  return offer?.mention.query === query ? { ...composer, offer: { ...offer, files, active: 0 } } : composer;
}

/** Moves up or down the list, which wraps around. */
export function withActiveMoved(composer: ComposerState, by: number): ComposerState {
  const { offer } = composer;
  const count = offer?.files?.length ?? 0;
  if (!offer || count === 0) return composer;
  return { ...composer, offer: { ...offer, active: (offer.active + by + count) % count } };
}

export function withoutOffer(composer: ComposerState): ComposerState {
  return { text: composer.text };
}

/** Inserts a file of the offer; undefined when there is none at that index. */
export function takeOffer(
  composer: ComposerState,
  index: number,
): { readonly composer: ComposerState; readonly caret: number } | undefined {
  const { offer } = composer;
  const file = offer?.files?.[index];
  if (!offer || file === undefined) return undefined;
  const { text, caret } = completeMention(composer.text, offer.mention, file);
  return { composer: { text }, caret };
}

/** The meaning of a key in the composer; undefined for one that types or moves the caret. */
export type KeyMeaning = "send" | "take" | "down" | "up" | "dismiss";

export function meaningOf(
  { offer }: ComposerState,
  pressed: { readonly key: string; readonly shiftKey: boolean; readonly altKey: boolean },
): KeyMeaning | undefined {
  if (offer && pressed.key === "Escape") return "dismiss";
  if (offer?.files?.length) {
    if (pressed.key === "ArrowDown") return "down";
    if (pressed.key === "ArrowUp") return "up";
    if (pressed.key === "Tab" && !pressed.shiftKey) return "take";
    if (pressed.key === "Enter") return "take";
  }
  return pressed.key === "Enter" && !pressed.shiftKey && !pressed.altKey ? "send" : undefined;
}

/** A file's name that is being typed after an `@`. */
export interface FileMention {
  /** Position of its `@`. */
  readonly start: number;
  readonly query: string;
}

const LONGEST_QUERY = 100;

/** The mention that ends at the caret: an `@` at the beginning of a word, followed by no space. */
export function mentionAt(text: string, caret: number): FileMention | undefined {
  const match = /(?:^|[\s([{"'`])@([^\s@]*)$/.exec(text.slice(0, caret));
  const query = match?.[1];
  if (query === undefined || query.length > LONGEST_QUERY) return undefined;
  return { start: caret - query.length - 1, query };
}

/** The text with the mention completed, and the new caret, behind the path and a space. */
export function completeMention(
  text: string,
  mention: FileMention,
  path: string,
): { readonly text: string; readonly caret: number } {
  const rest = text.slice(mention.start + 1 + mention.query.length);
  const written = `@${path}${/^\s/.test(rest) ? "" : " "}`;
  const caret = mention.start + written.length + (/^\s/.test(rest) ? 1 : 0);
  return { text: text.slice(0, mention.start) + written + rest, caret };
}
