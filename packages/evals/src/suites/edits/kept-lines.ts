import { diffLines } from "diff";
import type { OracleCall } from "../../suite.ts";

/** Lines around a change that may change as well, if no blank line comes before. */
const MOST_AROUND = 12;
/** Lines around a change that may change in any case. */
const LEAST_AROUND = 2;

/**
 * The lines of a file that an edit has no reason to touch, in order, with their line ends: those away from the
 * paragraphs that the solution changes.
 */
export function listKeptLines(before: string, after: string): readonly string[] {
  const lines = splitLines(before);
  const free = new Set<number>();
  let at = 0;
  for (const { added, removed, value } of diffLines(before, after)) {
    const count = added ? 0 : splitLines(value).length;
    if (added || removed) for (const line of listLinesAround(lines, at, at + count)) free.add(line);
    at += count;
  }
  return lines.filter((_, line) => !free.has(line));
}

/** The first of the lines that is missing or out of order in the text; undefined if all are there. */
export function findLostLine(kept: readonly string[], text: string): string | undefined {
  const lines = splitLines(text);
  let at = 0;
  for (const line of kept) {
    const found = lines.indexOf(line, at);
    if (found < 0) return line;
    at = found + 1;
  }
  return undefined;
}

/** The texts of the files that the calls change, once they are made. */
export function applyOracleCalls(
  files: Readonly<Record<string, string>>,
  calls: readonly OracleCall[],
): Readonly<Record<string, string>> {
  const after: Record<string, string> = {};
  for (const { args } of calls) {
    const path = String(args.filename);
    const text = after[path] ?? files[path] ?? "";
    after[path] = setLineEnds(
      Array.isArray(args.edits)
        ? args.edits.reduce(applyOracleEdit, text.replaceAll("\r\n", "\n"))
        : String(args.contents),
      text.includes("\r\n"),
    );
  }
  return after;
}

function applyOracleEdit(text: string, { search, replace }: { readonly search: string; readonly replace: string }) {
  return text.replace(search, () => replace);
}

function setLineEnds(text: string, isForWindows: boolean): string {
  return isForWindows && !text.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text;
}

function listLinesAround(lines: readonly string[], start: number, end: number): readonly number[] {
  const isBlank = (line: number): boolean => (lines[line] ?? "").trim() === "";
  let from = start;
  while (from > 0 && start - from < MOST_AROUND && !isBlank(from - 1)) from--;
  let to = end;
  while (to < lines.length && to - end < MOST_AROUND && !isBlank(to)) to++;
  const first = Math.max(0, Math.min(from, start - LEAST_AROUND));
  const last = Math.min(lines.length, Math.max(to, end + LEAST_AROUND));
  return Array.from({ length: last - first }, (_, index) => first + index);
}

function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
