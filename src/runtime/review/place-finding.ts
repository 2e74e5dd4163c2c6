import { computeSimilarity, getLetterPairs } from "../../commands/files/nearest-text.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import type { Finding } from "../../schema/review-page.ts";
import type { FileChange } from "./read-patch.ts";

/** A finding as the model has written it: its file, line and quote may be wrong. */
export interface ClaimedFinding extends Pick<Finding, "severity" | "title" | "reason" | "suggestion"> {
  readonly file: string;
  /** Absent if it names none. */
  readonly line?: number;
  /** The lines of code that it quotes. */
  readonly code: string;
}

/**
 * The lines of the new file that a finding is about, found by the code that it quotes; its line only decides between equal ones. Undefined
 * if the file isn't among the changes, or the quote isn't in its change.
 */
export function placeFinding(claim: ClaimedFinding, changes: readonly FileChange[]): Finding | undefined {
  const change = findChange(claim.file, changes);
  const quote = readQuote(claim.code);
  if (!change || quote.length === 0) return undefined;
  const lines = listKeyedLines(change);
  const present = lines.filter(({ kind }) => kind !== "removed");
  const near = claim.line ?? 0;
  const range = findRange(quote, present, near) ?? findRemovedPlace(quote, lines, near);
  if (!range) return undefined;
  const { severity, title, reason, suggestion } = claim;
  const place = { file: change.file, line: range.from, endLine: range.to };
  return { severity, ...place, title, reason, ...(suggestion === undefined ? {} : { suggestion }) };
}

/** The change of a file, by its name, its old name, or the end of its path if no other file has that. */
function findChange(named: string, changes: readonly FileChange[]): FileChange | undefined {
  const plain = named
    .trim()
    .replace(/^["'`]+|["'`]+$/g, "")
    .replaceAll("\\", "/")
    .replace(/^file:\s*/i, "")
    .replace(/:\d+(?:[-:]\d+)?$/, "");
  const names = [plain, plain.replace(/^(?:\.\/|[ab]\/)/, "")].map((name) => name.toLowerCase());
  const isNamed = (file: string | undefined): boolean => file !== undefined && names.includes(file.toLowerCase());
  const whole = changes.find(({ file }) => file === plain) ?? changes.find(({ file }) => isNamed(file));
  const known = whole ?? changes.find(({ was }) => isNamed(was));
  if (known || plain === "") return known;
  const ending = changes.filter(({ file }) => names.some((name) => file.toLowerCase().endsWith(`/${name}`)));
  return ending.length === 1 ? ending[0] : undefined;
}

/** Lines of a change, each with its text for comparisons. */
interface KeyedLine {
  readonly line: number;
  readonly kind: "added" | "removed" | "same";
  readonly key: string;
}

/** The lines of each change, which the findings in its file share. */
const keyed = new WeakMap<FileChange, readonly KeyedLine[]>();

function listKeyedLines(change: FileChange): readonly KeyedLine[] {
  const lines =
    keyed.get(change) ??
    change.hunks.flatMap((hunk) => hunk.lines).map(({ kind, line, text }) => ({ kind, line, key: createKey(text) }));
  keyed.set(change, lines);
  return lines;
}

/** A text for comparisons: without blanks, in one Unicode form, with straight quotes, its invisible characters written out. */
function createKey(text: string): string {
  return escapeInvisible(text)
    .normalize("NFKC")
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/\s+/g, "");
}

/** The readings of a quoted line: as it is, and without a mark or a number before it. */
type QuotedLine = readonly string[];

function readQuote(code: string): readonly QuotedLine[] {
  return code
    .split(/\r\n|\r|\n/)
    .filter((line) => !/^\s*(?:`{3,}.*|~{3,}.*|\.{3}|…|\[…\]|@@.*)?\s*$/.test(line))
    .map((line) => {
      const bare = line.trim().replace(/^`+|`+$/g, "");
      const readings = [bare, bare.replace(/^[+-]\s?/, ""), bare.replace(/^\d+\s*[|:]?\s*[+-]?\s?/, "")];
      return [...new Set(readings.map(createKey))].filter((key) => key !== "");
    })
    .filter((readings) => readings.length > 0);
}

/** Shorter texts say too little about a place. */
const LEAST_TELLING = 4;
/** A part of a line needs this many characters to identify it. */
const LEAST_PART = 6;
/** Similarity from which a line that was quoted with small mistakes is recognized. */
const LEAST_SIMILARITY = 0.8;
const SHORTEST_SIMILAR = 12;

/** How well a quoted line fits a line: 3 the same, 2 a part of it or with something around it, 0 not at all. */
function scoreMatch(quoted: QuotedLine, { key }: KeyedLine): number {
  if (quoted.includes(key)) return 3;
  const fits = quoted.some(
    (one) =>
      (one.length >= LEAST_PART && key.includes(one)) ||
      (key.length >= LEAST_PART && key.length * 2 >= one.length && one.includes(key)),
  );
  return fits ? 2 : 0;
}

function isTelling(key: string): boolean {
  return key.replace(/[^\p{L}\p{N}]/gu, "").length >= LEAST_TELLING;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The lines that fit a quote best. */
function findRange(quote: readonly QuotedLine[], lines: readonly KeyedLine[], near: number): Range | undefined {
  const joined = findJoined(quote, lines);
  if (joined) return joined;
  for (const [first, quoted] of quote.entries()) {
    if (!quoted.some(isTelling)) continue;
    const found = lines.flatMap((_line, start) => followQuote(quote.slice(first), lines, start) ?? []);
    const [best] = found.sort(
      (one, other) =>
        other.score - one.score || other.added - one.added || Math.abs(one.from - near) - Math.abs(other.from - near),
    );
    if (best) return best;
  }
  return findSimilar(quote, lines, near);
}

/** The lines that a quote has in a single line, if they are half of it or more. */
function findJoined(quote: readonly QuotedLine[], lines: readonly KeyedLine[]): Range | undefined {
  const [joined = []] = quote.length === 1 ? quote : [];
  for (const whole of joined)
    for (const [start, opening] of lines.entries()) {
      if (!isTelling(opening.key)) continue;
      let [rest, to] = [whole, opening.line];
      for (const { key, line } of lines.slice(start)) {
        if (!rest.startsWith(key)) break;
        rest = rest.slice(key.length);
        to = line;
        if (rest === "") break;
      }
      if (to > opening.line && rest.length * 2 <= whole.length) return { from: opening.line, to };
    }
  return undefined;
}

/** Unchanged lines that a quote may leave out between two of its lines. */
const MOST_SKIPPED = 3;

/** The range in which the quoted lines follow each other from a line on; undefined if they don't begin there. */
function followQuote([quoted, ...others]: readonly QuotedLine[], lines: readonly KeyedLine[], start: number) {
  const opening = lines[start];
  if (!opening || !quoted || !isTelling(opening.key)) return undefined;
  let score = scoreMatch(quoted, opening);
  if (score === 0) return undefined;
  let [at, to, added] = [start, opening.line, opening.kind === "added" ? 1 : 0];
  for (const next of others) {
    const among = lines.slice(at + 1, at + 2 + MOST_SKIPPED);
    const step = among.findIndex((line) => scoreMatch(next, line) > 0);
    const line = among[step];
    if (!line) continue;
    at += step + 1;
    to = line.line;
    score += scoreMatch(next, line);
    if (line.kind === "added") added += 1;
  }
  return { from: opening.line, to, score, added };
}

/** The line most similar to the quote's longest one. */
function findSimilar(quote: readonly QuotedLine[], lines: readonly KeyedLine[], near: number): Range | undefined {
  const [longest = ""] = quote.map(([key = ""]) => key).toSorted((one, other) => other.length - one.length);
  if (longest.length < SHORTEST_SIMILAR) return undefined;
  const pairs = getLetterPairs(longest);
  const [best] = lines
    .map(({ line, key }) => ({ line, similarity: computeSimilarity(pairs, getLetterPairs(key)) }))
    .filter(({ similarity }) => similarity >= LEAST_SIMILARITY)
    .sort((one, other) => other.similarity - one.similarity || Math.abs(one.line - near) - Math.abs(other.line - near));
  return best && { from: best.line, to: best.line };
}

/** The line that is where quoted lines were removed; undefined if they weren't, or the file has no line left there. */
function findRemovedPlace(quote: readonly QuotedLine[], lines: readonly KeyedLine[], near: number): Range | undefined {
  const removed = lines.filter(({ kind }) => kind === "removed");
  const gone = findRange(quote, removed, near);
  if (!gone) return undefined;
  const present = lines.filter(({ kind }) => kind !== "removed").map(({ line }) => line);
  const line = present.find((one) => one >= gone.to) ?? present.at(-1);
  return line === undefined ? undefined : { from: line, to: line };
}
