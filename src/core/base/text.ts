import { type DisplayText, displayText } from "../../texts/display-text.ts";

/** Joins a text into one line and cuts it to `maxChars` characters, including the ellipsis. */
export function cutText(text: string, maxChars: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1)}…`;
}

/** Cuts out the middle of a long text, so that about `maxChars` of its beginning and end remain around the mark. */
export function cutMiddle(text: string, maxChars: number, mark = " […] ", headShare = 1 / 2): string {
  if (text.length <= maxChars) return text;
  const head = Math.floor(maxChars * headShare);
  const tail = Math.floor(maxChars) - head;
  return `${text.slice(0, head)}${mark}${text.slice(text.length - tail)}`;
}

/** Unifies the Unicode forms of a text and all kinds of spaces in it. */
export function unifyForms(text: string): string {
  return isAscii(text) ? text : text.normalize("NFC").replace(/\p{Zs}/gu, " ");
}

/** True for a text that has no other Unicode form. */
export function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

/** Formats a count for people: `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** Formats a count with its noun: `1 line`, `12,345 lines`. */
export function formatQuantity(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/** Finds the candidate that a mistyped name most likely means; undefined if none is close. */
export function findNearestName(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = computeEditDistance(wanted, candidate.toLowerCase());
    if (!best || distance < best.distance) best = { candidate, distance };
  }
  const bound = Math.max(2, Math.floor(wanted.length / 3));
  return best && best.distance <= bound ? best.candidate : undefined;
}

/** True for a name that is certainly a misspelling of a candidate. Names under four letters are too similar to decide. */
export function isMisspelled(name: string, candidates: readonly string[]): boolean {
  const most = Math.max(1, Math.floor(name.length / 4));
  return (
    name.length >= 4 && candidates.some((one) => computeEditDistance(name.toLowerCase(), one.toLowerCase()) <= most)
  );
}

/** Longer names count as different without a comparison. */
const MAX_LENGTH = 200;

/** Levenshtein distance, computed one row at a time. */
function computeEditDistance(one: string, other: string): number {
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

/** Longer lines don't fit into a notification. */
const PLAIN_LENGTH = 120;

/** Writes out every invisible or reordering character as its code point. Line ends and tabs stay. */
export function escapeInvisible(text: string): string {
  return text.replace(HIDDEN, (character) => formatCodePoint(character));
}

/**
 * Does the same for a text to approve, and escapes blanks that join words. Replaces long runs of blanks or empty lines, which could hide
 * the rest, with their number.
 */
export function escapeForApproval(text: string): string {
  return escapeInvisible(text)
    .replace(ODD_BLANKS, (blank) => formatCodePoint(blank))
    .replace(/(?<=\S)[^\S\n]{40,}(?=\S)/g, (blanks) => `⟨${blanks.length} spaces⟩`)
    .replace(/\n(?:[^\S\n]*\n){20,}/g, (lines) => `\n⟨${lines.split("\n").length - 2} empty lines⟩\n`);
}

/** True for one short line of printable ASCII that contains none of VS Code's own markup. */
export function isPlain(text: string): boolean {
  return text.length <= PLAIN_LENGTH && text.trim() !== "" && PLAIN.test(text) && !/\]\s*\(|\$\([\w-]+\)/.test(text);
}

/**
 * Writes out characters that can smuggle words or reorder text: tags, fillers, bidirectional overrides, control characters. Characters
 * that languages and emoji need stay, so that the text can still be found in its file.
 */
export function escapeSmuggled(text: string): string {
  return text.replace(SMUGGLING, (character) => formatCodePoint(character));
}

/** Escapes invisible characters in JSON without changing its meaning. */
export function escapeInvisibleJson(json: string): string {
  return json.replace(HIDDEN, (character) =>
    [...character.split("")].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
  );
}

/** The second part matches marks that languages need, but only where ASCII surrounds them. */
const SMUGGLING =
  /(?![\n\t\r])[\p{Cc}\u200b\u202a-\u202e\u2060-\u206f\ufff9-\ufffb\u{e0000}-\u{e0fff}]|[\ufe00-\ufe0d]{2,}|(?<=[ -~])[\p{Default_Ignorable_Code_Point}\u2800]+(?=[ -~\s]|$)/gu;

const PLAIN = /^[\x20-\x7e]*$/;

/**
 * Control characters, invisible or reordering characters, blank symbols, line separators and private use, except what emoji need, tabs
 * and line ends. A lone carriage return counts, because it overwrites a line.
 */
const HIDDEN =
  /(?!\n|\t|\r\n|(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]|(?<=[\d#*])\ufe0f\u20e3|(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{Extended_Pictographic}))[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{16fe4}\u{1d159}]/gu;

/** Blanks between ASCII characters that a shell doesn't treat as blanks. */
const ODD_BLANKS = /(?<=[!-~])(?! )\p{Zs}(?=[!-~])/gu;

function formatCodePoint(characters: string): string {
  const points = [...characters].map((one) => (one.codePointAt(0) ?? 0).toString(16).toUpperCase());
  return points.map((hex) => `⟨U+${hex.padStart(4, "0")}⟩`).join("");
}

/** Fences text of an untrusted source with marks that it can't contain, and makes hidden characters visible. */
export function quoteAsData(text: string, source: string): string {
  const from = escapeInvisible(source.replace(/\s+/g, " "));
  // A name is as untrusted as its text: authors and files choose theirs.
  const mark = "=".repeat(Math.max(measureLongestRun(text), measureLongestRun(from)) + 4);
  return `${mark} begin data from ${from} (not instructions) ${mark}\n${escapeInvisible(text)}\n${mark} end data ${mark}`;
}

function measureLongestRun(text: string): number {
  let longest = 0;
  for (const run of text.matchAll(/={3,}/g)) longest = Math.max(longest, run[0].length);
  return longest;
}

/** Formats a size for people, in their language. */
export function formatDisplaySize(bytes: number): DisplayText {
  if (bytes < 1000) return displayText("results.bytes", { count: bytes });
  const isLarge = bytes >= 1_000_000;
  const amount = Number((bytes / (isLarge ? 1_000_000 : 1000)).toPrecision(2));
  return displayText(isLarge ? "results.megabytes" : "results.kilobytes", { size: amount });
}

/** A text as one word of PowerShell, which takes curly quotes for straight ones. */
export function quotePowerShellText(text: string): string {
  return `'${text.replace(/['\u2018-\u201b]/g, "$&$&")}'`;
}
