/** A line of this length at most goes into a notification. */
const PLAIN_LENGTH = 120;

/** Text with every character that cannot be seen, or that reorders what is seen, written out as its code point. Line ends and tabs stay. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) => codePoint(character));
}

/**
 * The same for what is to be approved: long runs of blanks and of empty lines, which move the rest of a text out of sight, are written as
 * their number too.
 */
export function plainlyVisible(text: string): string {
  return visible(text)
    .replace(/(?<=\S)[^\S\n]{40,}(?=\S)/g, (blanks) => `⟨${blanks.length} spaces⟩`)
    .replace(/\n(?:[^\S\n]*\n){20,}/g, (lines) => `\n⟨${lines.split("\n").length - 2} empty lines⟩\n`);
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

/**
 * Text in which what carries hidden words or turns text around is written out: tags, the fillers that can spell bytes, bidirectional
 * overrides, control characters. What languages and emoji need stays, so that a file's text can still be found in the file.
 */
export function withoutSmuggled(text: string): string {
  return text.replace(SMUGGLING, (character) => codePoint(character));
}

/** JSON in which nothing is hidden, and which means the same. */
export function visibleJson(json: string): string {
  return json.replace(HIDDEN, (character) =>
    [...character.split("")].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
  );
}

const SMUGGLING =
  /(?![\n\t\r])[\p{Cc}\u200b\u202a-\u202e\u2060-\u206f\ufff9-\ufffb\u{e0000}-\u{e0fff}]|[\ufe00-\ufe0d]{2,}/gu;

const PLAIN = /^[\x20-\x7e]*$/;

/**
 * Control characters but tab and line ends (a lone carriage return overwrites a line, so it counts), what is drawn as nothing or reorders
 * text (zero width, bidirectional, tags, fillers) but the selectors and joiners of emoji, other line separators and private use.
 */
const HIDDEN =
  /(?!\n|\t|\r\n|\ufe0e|\ufe0f|(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{Extended_Pictographic}))[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

function codePoint(characters: string): string {
  const points = [...characters].map((one) => (one.codePointAt(0) ?? 0).toString(16).toUpperCase());
  return points.map((hex) => `⟨U+${hex.padStart(4, "0")}⟩`).join("");
}
