/** A line of this length at most goes into a notification. */
const PLAIN_LENGTH = 120;

/** Text with every character that cannot be seen, or that reorders what is seen, written out as its code point. Line ends and tabs stay. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) => codePoint(character));
}

/** True for one line of at most 120 characters in which nothing is hidden and nothing can be taken for markup of VS Code's own. */
export function isPlain(text: string): boolean {
  return (
    text.length <= PLAIN_LENGTH &&
    text.trim() !== "" &&
    PLAIN.test(text) &&
    !/\]\s*\(|\$\([\w-]+\)/.test(text)
  );
}

const PLAIN = /^[\x20-\x7e]*$/;

/**
 * Control characters but tab and line ends (a lone carriage return overwrites a line, so it counts), what is drawn as nothing or reorders
 * text (zero width, bidirectional, tags, fillers) but the selectors of emoji, other line separators, lone surrogates and private use.
 */
const HIDDEN =
  /(?!\n|\t|\r\n|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

function codePoint(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return `⟨U+${hex.padStart(4, "0")}⟩`;
}
