import { diffArrays } from "diff";
import { countCommonEnd, countCommonStart } from "../../core/base/objects.ts";
import {
  findEditorLineEnd,
  findLineEnd,
  joinLines,
  splitTextLines,
  type TextLine,
  unifyLineEnds,
} from "./line-ends.ts";

/** Lines that differ, counted from 0. `end` is the first line after them, so an empty range lies between two lines. */
export interface Hunk {
  readonly left: Range;
  readonly right: Range;
}

/** Lines of one text, counted from 0; `end` is the line after the last. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Beyond this number, the rest of two texts is one hunk, which limits the search for common lines. */
const MOST_DIFFERENCES = 4_000;

/** Finds the hunks of two texts, in order. Line ends aren't compared, as in the editor's diff. */
export function findHunks(left: string, right: string): readonly Hunk[] {
  return findLineHunks(listLineTexts(left), listLineTexts(right));
}

/** Finds the hunks of two lists of lines. */
export function findLineHunks(left: readonly string[], right: readonly string[]): readonly Hunk[] {
  const head = countCommonStart(left, right);
  const tail = countCommonEnd(left, right, head);
  const leftEnd = left.length - tail;
  const rightEnd = right.length - tail;
  const parts = diffArrays(left.slice(head, leftEnd), right.slice(head, rightEnd), {
    maxEditLength: MOST_DIFFERENCES,
  });
  if (!parts) return [{ left: { start: head, end: leftEnd }, right: { start: head, end: rightEnd } }];
  const found: Hunk[] = [];
  let at: Hunk = { left: { start: head, end: head }, right: { start: head, end: head } };
  for (const { added, removed, count } of parts) {
    if (removed) at = { ...at, left: { ...at.left, end: at.left.end + count } };
    if (added) at = { ...at, right: { ...at.right, end: at.right.end + count } };
    if (added || removed) continue;
    if (!isEmpty(at)) found.push(at);
    at = { left: createRangeAfter(at.left, count), right: createRangeAfter(at.right, count) };
  }
  return isEmpty(at) ? found : [...found, at];
}

/** Replaces the hunk at a line (from 0) of the proposal by the original; undefined when the line isn't part of a hunk. */
export function dropHunk(before: string, after: string, line: number): string | undefined {
  return takeHunk(after, before, line);
}

/** Replaces the hunk at a line (from 0) of the current text by the proposal; undefined when it is already there. */
export function restoreHunk(proposed: string, current: string, line: number): string | undefined {
  return takeHunk(current, proposed, line);
}

/** Replaces all hunks but the one at a line (from 0) of the current text by the original; undefined when there is none. */
export function keepHunk(before: string, current: string, line: number): string | undefined {
  const hunk = findHunk(findHunks(before, current), line);
  if (!hunk) return undefined;
  const [original, own] = [splitTextLines(before), splitTextLines(current)];
  const { left, right } = hunk;
  const end = findLineEnd(current) ?? findLineEnd(before) ?? "\n";
  const kept = own.slice(right.start, right.end);
  return joinLines([...original.slice(0, left.start), ...kept, ...original.slice(left.end)], end);
}

/** Lines of the current text where the user dropped a proposed hunk, so that the original text remains. */
export function findDroppedHunks(before: string, proposed: string, current: string): readonly Range[] {
  const standing = findHunks(before, current);
  return findHunks(before, proposed)
    .map(({ left }) => left)
    .filter((left) => !standing.some((other) => areTouching(left, other.left)))
    .map(({ start, end }) => {
      const above = standing.findLast(({ left }) => left.end <= start);
      const moved = above ? above.right.end - above.left.end : 0;
      return { start: start + moved, end: end + moved };
    });
}

/** An empty range touches the lines before and after it. */
function areTouching(one: Range, other: Range): boolean {
  return one.start <= other.end && other.start <= one.end;
}

/** The first line of the right text that a change concerns; undefined for equal texts. */
export function findFirstChangedLine(left: string, right: string): number | undefined {
  return findHunks(left, right)[0]?.right.start;
}

/** The line of the right text (from 0) that is displayed next to a line of the left text. */
export function findLineBeside(left: string, right: string, line: number): number {
  const all = findHunks(left, right);
  const inside = all.find((hunk) => hunk.left.start <= line && line < hunk.left.end);
  if (inside) return inside.right.start;
  const above = all.findLast((hunk) => hunk.left.end <= line);
  return above ? line - above.left.end + above.right.end : line;
}

/** Replaces the hunk at a line by that of `other`. */
function takeHunk(text: string, other: string, line: number): string | undefined {
  const hunk = findHunk(findHunks(other, text), line);
  if (!hunk) return undefined;
  const lines = splitTextLines(text);
  const taken = splitTextLines(other).slice(hunk.left.start, hunk.left.end);
  const end = findLineEnd(text) ?? findLineEnd(other) ?? "\n";
  return joinLines([...lines.slice(0, hunk.right.start), ...taken, ...lines.slice(hunk.right.end)], end);
}

/** Finds the hunk at a line of the right text. A hunk without lines is found at the lines around it. */
function findHunk(all: readonly Hunk[], line: number): Hunk | undefined {
  return (
    all.find(({ right }) => right.start <= line && line < right.end) ??
    all.find(({ right }) => right.start === right.end && (line === right.start || line === right.start - 1))
  );
}

function listLineTexts(text: string): readonly string[] {
  return splitTextLines(text).map((line) => line.text);
}

function createRangeAfter(range: Range, count: number): Range {
  return { start: range.end + count, end: range.end + count };
}

function isEmpty({ left, right }: Hunk): boolean {
  return left.start === left.end && right.start === right.end;
}

/** A text in an editor, where all lines end the same way. */
export interface OriginalText {
  readonly text: string;
  readonly lineEnd: "\n" | "\r\n";
}

/**
 * Restores line ends that the editor has unified: a proposed line's as proposed, an original line's as before, and any other line's as in
 * most proposed lines. If the user chose a line end in the editor, it applies to all lines.
 */
export function restoreLineEnds(standing: OriginalText, proposed: string, before: string): string {
  const opened = findEditorLineEnd(proposed);
  if (opened !== undefined && opened !== standing.lineEnd) return unifyLineEnds(standing.text, standing.lineEnd);
  const end = opened ?? findEditorLineEnd(before) ?? standing.lineEnd;
  if (hasOnlyLineEnd(proposed, end) && hasOnlyLineEnd(before, end)) return unifyLineEnds(standing.text, end);
  const lines = splitTextLines(standing.text).map(({ text }) => ({ text, end: "" }));
  return joinLines(adoptLineEnds(adoptLineEnds(lines, splitTextLines(before)), splitTextLines(proposed)), end);
}

/** Gives lines that also occur in the model the line ends from there. */
function adoptLineEnds(lines: readonly TextLine[], model: readonly TextLine[]): readonly TextLine[] {
  const changed = findLineHunks(
    lines.map((line) => line.text),
    model.map((line) => line.text),
  );
  const ended: TextLine[] = [];
  let at = 0;
  let inModel = 0;
  const copy = (until: number) => {
    while (at < until) {
      const line = lines[at++];
      const end = model[inModel++]?.end;
      if (line) ended.push({ text: line.text, end: end || line.end });
    }
  };
  for (const { left, right } of changed) {
    copy(left.start);
    ended.push(...lines.slice(left.start, left.end));
    at = left.end;
    inModel = right.end;
  }
  copy(lines.length);
  return ended;
}

function hasOnlyLineEnd(text: string, end: string): boolean {
  return (text.match(/\r\n|\r|\n/g) ?? []).every((found) => found === end);
}
