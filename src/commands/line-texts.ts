import { formatCount, formatQuantity } from "../core/base/text.ts";
import type { SearchMatch } from "../core/ports/workspace.ts";

/** Names a file with the lines that follow: `src/app.ts, lines 1 to 40 of 120`, or `src/app.ts, 120 lines` for all of them. */
export function formatLinesHeader(label: string, from: number, to: number, all: number): string {
  if (from <= 1 && to >= all) return `${label}, ${formatQuantity(all, "line")}`;
  const [first, last] = [from, to].map(formatCount);
  return `${label}, ${from === to ? `line ${first}` : `lines ${first} to ${last}`} of ${formatCount(all)}`;
}

/** The line above an answer from these lines: `Answer from the text of a.pdf, 120 lines`. */
export function formatAnswerHeader(label: string, from: number, to: number, all: number): string {
  return `Answer from ${formatLinesHeader(label.replace(/^The (?=text|cells|output)/, "the "), from, to, all)}`;
}

/** Lines with their numbers, as in `12: text`, the form that every outcome uses. */
export function numberLines(lines: readonly string[], from: number): string {
  return lines.map((line, index) => `${from + index}: ${line}`).join("\n");
}

const LONGEST_LINE = 200;

/** Cuts a line, but leaves enough to recognize its place. */
export function cutLine(line: string): string {
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE)}…`;
}

/** Matching lines with their numbers, under the names of their files. */
export function formatGroupedMatches(matches: readonly SearchMatch[]): string {
  return matches
    .flatMap(({ label, line, text }, index) => [
      ...(matches[index - 1]?.label === label ? [] : [`${index > 0 ? "\n" : ""}${label}`]),
      numberLines([text], line),
    ])
    .join("\n");
}

/** The number of files that have these matches. */
export function formatFileCount(matches: readonly Pick<SearchMatch, "label">[]): string {
  return formatQuantity(new Set(matches.map(({ label }) => label)).size, "file");
}

/** Removes the numbers that `numberLines` adds; undefined if the lines aren't numbered consecutively. */
export function stripLineNumbers(text: string): string | undefined {
  const lines = text.split(/\r\n|\r|\n/);
  const last = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  const parts = lines.slice(0, last).map((line) => /^ *(\d+):(?: (.*))?$/s.exec(line));
  const first = Number(parts[0]?.[1]);
  if (!parts.every((part, index) => part && Number(part[1]) === first + index)) return undefined;
  return [...parts.map((part) => part?.[2] ?? ""), ...lines.slice(last)].join("\n");
}
