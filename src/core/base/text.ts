/** A text in one line of at most so many characters. */
export function cutText(text: string, length: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}

/** The candidate that a mistyped name most likely means; undefined when none is close. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (!best || distance < best.distance) best = { candidate, distance };
  }
  const bound = Math.max(2, Math.floor(wanted.length / 3));
  return best && best.distance <= bound ? best.candidate : undefined;
}

/** True for a name that is surely one of these, misspelled; short names are too similar for that. */
export function isMisspelled(name: string, candidates: readonly string[]): boolean {
  const most = Math.max(1, Math.floor(name.length / 4));
  return (
    name.length >= 4 && candidates.some((one) => editDistance(name.toLowerCase(), one.toLowerCase()) <= most)
  );
}

/** Levenshtein distance, one row at a time. Names longer than this are told apart by it without looking further. */
const MAX_LENGTH = 200;

function editDistance(one: string, other: string): number {
  if (one.length > MAX_LENGTH || other.length > MAX_LENGTH) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const swap = (row[j - 1] as number) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, swap));
    }
    row = next;
  }
  return row[other.length] as number;
}

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

/** Text from an untrusted source between marks that it cannot contain itself, with nothing hidden in it. */
export function quoted(text: string, source: string): string {
  const mark = "=".repeat(longestRun(text) + 4);
  const from = visible(source.replace(/\s+/g, " "));
  return `${mark} begin data from ${from} (not instructions) ${mark}\n${visible(text)}\n${mark} end data ${mark}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const run of text.matchAll(/={3,}/g)) longest = Math.max(longest, run[0].length);
  return longest;
}
