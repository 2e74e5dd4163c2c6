import type { TextFile } from "../../core/ports/workspace.ts";
import { setLineEnds } from "../file-change.ts";
import { carryOverWhiteSpace } from "./carried-text.ts";

/** A line of a text with its position. */
export interface LineRange {
  readonly text: string;
  readonly start: number;
  /** Start of its line end. */
  readonly end: number;
  /** Start of the next line. */
  readonly next: number;
}

/** Lines of a text with any line ends. A final line end doesn't start another line. */
export function listLineRanges(text: string): readonly LineRange[] {
  const lines: LineRange[] = [];
  let start = 0;
  for (const match of text.matchAll(/\r\n|\r|\n/g)) {
    const next = match.index + match[0].length;
    lines.push({ text: text.slice(start, match.index), start, end: match.index, next });
    start = next;
  }
  if (start < text.length) lines.push({ text: text.slice(start), start, end: text.length, next: text.length });
  return lines;
}

/** Number of a position's line, from 1. */
export function getLineNumber(text: string, position: number): number {
  return text.slice(0, position).split(/\r\n|\r|\n/).length;
}

/** An occurrence of a searched text. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
  /** The text to insert; wherever search and replacement are the same, it's as the file has it. */
  computeReplacement(replacement: string, eol: TextFile["eol"]): string;
}

/** All occurrences of a text, by the strictest comparison that finds any. */
export function findText(text: string, search: string): readonly Occurrence[] {
  for (const find of [
    findExactly,
    findWithAnyLineEnds,
    findWithAnyTrailingSpace,
    findWithAnyIndent,
    findWithAnySpace,
  ]) {
    const spans = find(text, search);
    if (spans.length > 0) return spans;
  }
  return [];
}

type Find = (text: string, search: string) => readonly Occurrence[];

function findExactly(text: string, search: string): readonly Occurrence[] {
  const spans: Occurrence[] = [];
  for (let at = text.indexOf(search); at !== -1; at = text.indexOf(search, at + search.length))
    spans.push({
      start: at,
      end: at + search.length,
      computeReplacement: (wanted, eol) => {
        if (search.includes("\r"))
          return carryOverWhiteSpace({ found: search, search, wanted, adaptIndent: keepText, eol });
        return setLineEnds(wanted, search.includes("\n") ? "\n" : (findLineEndAfter(text, at + search.length) ?? eol));
      },
    });
  return spans;
}

/** The end of the line at a position; undefined for the last one. */
function findLineEndAfter(text: string, position: number): TextFile["eol"] | undefined {
  const ends = /\r\n|\r|\n/g;
  ends.lastIndex = position;
  return ends.exec(text)?.[0] as TextFile["eol"] | undefined;
}

function findWithAnyLineEnds(text: string, search: string): readonly Occurrence[] {
  if (!/[\r\n]/.test(search)) return [];
  const lines = search.split(ANY_LINE_END).map((line) => line.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return [...text.matchAll(new RegExp(lines.join("(?:\\r\\n|\\r|\\n)"), "g"))].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    computeReplacement: (wanted, eol) =>
      carryOverWhiteSpace({ found: match[0], search, wanted, adaptIndent: keepText, eol }),
  }));
}

function keepText(text: string): string {
  return text;
}

const findWithAnyTrailingSpace: Find = (text, search) =>
  findWholeLines(
    text,
    search,
    (line) => line.trimEnd(),
    keepText,
    () => keepText,
  );

const findWithAnyIndent: Find = (text, search) => findWithOtherIndent(text, search, (line) => line.trim());

const findWithAnySpace: Find = (text, search) =>
  findWithOtherIndent(text, search, (line) => line.trim().replace(/\s+/g, " "));

function findWithOtherIndent(text: string, search: string, key: (line: string) => string): readonly Occurrence[] {
  return findWholeLines(text, stripBlankEdgeLines(search), key, stripBlankEdgeLines, (found, wanted) => {
    const pairs = wanted.map((line, index) => ({
      wanted: getLineIndent(line),
      found: getLineIndent(found[index] ?? ""),
    }));
    return (replacement) => reindentLines(replacement, pairs);
  });
}

/** Finds runs of whole lines that are equal by `key`. `trimmed` trims the replacement as the search is trimmed. */
function findWholeLines(
  text: string,
  search: string,
  key: (line: string) => string,
  trimmed: (replacement: string) => string,
  fittedTo: (found: readonly string[], wanted: readonly string[]) => (replacement: string) => string,
): readonly Occurrence[] {
  const endsLine = /[\r\n]$/.test(search);
  const wanted = search.split(ANY_LINE_END).slice(0, endsLine ? -1 : undefined);
  const keys = wanted.map(key);
  if (keys.every((line) => line === "")) return [];
  const lines = listLineRanges(text);
  const lineKeys = lines.map((line) => key(line.text));
  const spans: Occurrence[] = [];
  for (let at = 0; at + keys.length <= lines.length; at++) {
    if (!keys.every((line, index) => line === lineKeys[at + index])) continue;
    const own = lines.slice(at, at + keys.length);
    const [start = 0, end = 0] = [own[0]?.start, endsLine ? own.at(-1)?.next : own.at(-1)?.end];
    const found = text.slice(start, end);
    const texts = own.map((line) => line.text);
    spans.push({
      start,
      end,
      computeReplacement: (replacement, eol) => {
        const fitted = fittedTo(texts, wanted);
        return carryOverWhiteSpace({ found, search, wanted: trimmed(replacement), adaptIndent: fitted, eol });
      },
    });
    at += keys.length - 1;
  }
  return spans;
}

/** An indent of the searched text, and the file's own indent there. */
interface IndentPair {
  readonly wanted: string;
  readonly found: string;
}

/** Indents each line as the file indents the nearest line of the searched text with the same indent. */
export function reindentLines(text: string, pairs: readonly IndentPair[]): string {
  return text
    .split("\n")
    .map((line, at) => {
      const indent = getLineIndent(line);
      const [like] = pairs
        .map((pair, index) => ({ ...pair, distance: Math.abs(index - at) }))
        .filter(({ wanted }) => line.trim() !== "" && indent.startsWith(wanted))
        .sort((one, other) => other.wanted.length - one.wanted.length || one.distance - other.distance);
      return like === undefined ? line : `${like.found}${line.slice(like.wanted.length)}`;
    })
    .join("\n");
}

const ANY_LINE_END = /\r\n|\r|\n/;

/** The blanks at the start of a line. */
export function getLineIndent(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** Removes blank lines at both ends of a text, and returns plain line ends. */
function stripBlankEdgeLines(text: string): string {
  const lines = text.split(ANY_LINE_END);
  const isFull = (line: string): boolean => line.trim() !== "";
  return lines.slice(Math.max(0, lines.findIndex(isFull)), lines.findLastIndex(isFull) + 1).join("\n");
}
