import { describeHiddenDifferences } from "../hidden-differences.ts";
import { numberLines } from "../line-texts.ts";
import { type LineRange, listLineRanges } from "./find-text.ts";

/** Limits on the quotation for the model. */
const MOST_QUOTED_LINES = 30;
const LONGEST_QUOTE = 3000;

/** Limits on lines and characters that are compared letter by letter. */
const COMPARED_LINES = 3000;
const COMPARED_CHARACTERS = 200;

/** Lines with less similarity don't help. */
const LEAST_LIKENESS = 0.5;

/** A sentence that quotes the lines most similar to a searched text; "" when nothing is similar. */
export function describeNearestText(text: string, search: string): string {
  const lines = listLineRanges(text);
  const wanted = listLineRanges(search)
    .map((line) => normalizeLine(line.text))
    .filter((line) => line !== "");
  const at = findMostSharedLines(lines, wanted) ?? findMostSimilarLine(lines, wanted[0] ?? "");
  if (at === undefined) return "";
  const length = Math.min(Math.max(listLineRanges(search).length, 1), MOST_QUOTED_LINES);
  const found = lines.slice(at, at + length);
  const quote = numberLines(
    found.map((line) => line.text),
    at + 1,
  ).slice(0, LONGEST_QUOTE);
  const where = found.length === 1 ? `line ${at + 1}` : `lines ${at + 1} to ${at + found.length}`;
  return `The nearest text is ${where}:\n${quote}${describeHiddenDifference(found, search, at)}`;
}

/** A line for comparisons, in one Unicode form. */
function normalizeLine(line: string): string {
  return line.trim().normalize("NFKC");
}

/** Describes the first line that differs only invisibly; "" if there is none. */
function describeHiddenDifference(found: readonly LineRange[], search: string, at: number): string {
  for (const [index, { text }] of listLineRanges(search).entries()) {
    const own = found[index]?.text.slice(0, COMPARED_CHARACTERS) ?? "";
    const differs = own === text ? "" : describeHiddenDifferences(own, text.slice(0, COMPARED_CHARACTERS));
    if (differs !== "") return `\nLine ${at + index + 1} has ${differs}.`;
  }
  return "";
}

/** Start of the range that shares most of the searched lines. */
function findMostSharedLines(lines: readonly LineRange[], wanted: readonly string[]): number | undefined {
  const places = new Map(wanted.map((line, index) => [line, index]));
  const votes = new Map<number, number>();
  for (const [index, line] of lines.entries()) {
    const place = places.get(normalizeLine(line.text));
    if (place === undefined) continue;
    const start = Math.max(0, index - place);
    votes.set(start, (votes.get(start) ?? 0) + 1);
  }
  const [best] = [...votes].sort(([, one], [, other]) => other - one);
  return best?.[0];
}

function findMostSimilarLine(lines: readonly LineRange[], wanted: string): number | undefined {
  const pairs = getLetterPairs(wanted);
  let best: { at: number; likeness: number } | undefined;
  for (const [at, line] of lines.slice(0, COMPARED_LINES).entries()) {
    const likeness = computeSimilarity(pairs, getLetterPairs(normalizeLine(line.text)));
    if (likeness >= (best?.likeness ?? LEAST_LIKENESS)) best = { at, likeness: likeness + Number.EPSILON };
  }
  return best?.at;
}

/** Dice's coefficient: 1 when all pairs of adjacent letters are shared, 0 when none. */
export function computeSimilarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  const shared = [...one].filter((pair) => other.has(pair)).length;
  return (2 * shared) / (one.size + other.size);
}

/** The pairs of adjacent letters in a line, for `computeSimilarity`. */
export function getLetterPairs(line: string): ReadonlySet<string> {
  const letters = line.slice(0, COMPARED_CHARACTERS).toLowerCase();
  const pairs = new Set<string>();
  for (let index = 0; index + 1 < letters.length; index++) pairs.add(letters.slice(index, index + 2));
  return pairs;
}
