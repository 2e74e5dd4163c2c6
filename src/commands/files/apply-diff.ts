import type { TextFile } from "../../core/ports/workspace.ts";
import type { EditResult } from "./apply-edits.ts";
import { carryOverLineWhiteSpace, type EndedLine } from "./carried-text.ts";
import { getLineIndent, type LineRange, listLineRanges, reindentLines } from "./find-text.ts";
import { describeNearestText } from "./nearest-text.ts";
import { type DiffHunk, parseHunks } from "./read-diff.ts";

/** Limit on the places that are named. */
const MOST_PLACES = 10;

/** Comparisons of a hunk's lines with the file's, strictest first. */
const KEYS: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
  (line) => line.trim().replace(/\s+/g, " "),
];
/** From this comparison on, the indentation may differ, so added lines are indented like the file. */
const ANY_INDENT = 2;

/** Where a hunk's old lines are, and how its new lines are written there. */
interface Place {
  /** Index of the first line. */
  readonly at: number;
  /** Number of lines that are replaced. */
  readonly old: number;
  readonly lines: readonly EndedLine[];
}

/** Applies all hunks of a unified diff to a file's text, or none. Line numbers only decide between equal places. */
export function applyDiff(file: Pick<TextFile, "text" | "eol">, diff: string): EditResult {
  const hunks = parseHunks(diff);
  if (hunks.length === 0)
    return { problems: ["the diff has no hunk that changes a line. Start changed lines with + or -."] };
  let lines: readonly EndedLine[] = listLineRanges(file.text).map((line) => getEndedLine(line, file.text));
  const problems: string[] = [];
  let from = 0;
  let shift = 0;
  for (const [index, hunk] of hunks.entries()) {
    const place = findHunkPlace(lines, hunk, { from, shift, eol: file.eol });
    if (typeof place === "string") {
      problems.push(hunks.length > 1 ? `Hunk ${index + 1} of ${hunks.length}: ${place}` : place);
      continue;
    }
    const { at, old } = place;
    lines = [...lines.slice(0, at), ...place.lines, ...lines.slice(at + old)];
    from = at + place.lines.length;
    shift += place.lines.length - old;
  }
  if (problems.length > 0) return { problems };
  return { text: joinEndedLines(lines, file), places: hunks.length };
}

function getEndedLine({ text, end, next }: LineRange, whole: string): EndedLine {
  return { text, end: whole.slice(end, next) };
}

/** Keeps the file's own final line end, or its absence. */
function joinEndedLines(lines: readonly EndedLine[], { text, eol }: Pick<TextFile, "text" | "eol">): string {
  const hasFinalEnd = text === "" || /[\r\n]$/.test(text);
  return lines
    .map((line, index) => {
      const isLast = index === lines.length - 1;
      if (isLast && !hasFinalEnd) return line.text;
      return `${line.text}${line.end === "" ? eol : line.end}`;
    })
    .join("");
}

function splitHunkSides({ lines }: DiffHunk): {
  readonly old: readonly string[];
  readonly fresh: readonly string[];
} {
  return {
    old: lines.filter(({ kind }) => kind !== "+").map(({ text }) => text),
    fresh: lines.filter(({ kind }) => kind !== "-").map(({ text }) => text),
  };
}

interface Progress {
  /** Index of the first line after the last hunk. */
  readonly from: number;
  /** Lines that earlier hunks have added. */
  readonly shift: number;
  readonly eol: string;
}

/** The only place for a hunk, or a sentence that explains why there is none. */
function findHunkPlace(lines: readonly EndedLine[], whole: DiffHunk, progress: Progress): Place | string {
  const texts = lines.map(({ text }) => text);
  // Models add empty lines at the edges that aren't in the file.
  for (const hunk of [whole, stripBlankEdges(whole)]) {
    const { old } = splitHunkSides(hunk);
    for (const [level, key] of KEYS.entries()) {
      const found = old.length === 0 ? [] : findLinePositions(texts.map(key), old.map(key));
      const [only, other] = found;
      if (only === undefined) continue;
      const at = other === undefined ? only : choosePosition(found, texts, hunk, progress);
      if (at === undefined) return explainAmbiguousHunk(found);
      return {
        at,
        old: old.length,
        lines: computeNewLines(hunk, lines.slice(at, at + old.length), level, progress.eol),
      };
    }
  }
  const { old } = splitHunkSides(whole);
  if (old.some((line) => line.trim() !== "")) {
    const near = describeNearestText(texts.join("\n"), old.join("\n"));
    return `its unchanged and removed lines are not in the file. ${near || "Read the file and copy the lines from it."}`;
  }
  if (texts.every((text) => text.trim() === ""))
    return { at: 0, old: 0, lines: computeNewLines(whole, [], 0, progress.eol) };
  return "it has no unchanged or removed line that says where it belongs. Add the lines around it.";
}

function stripBlankEdges({ lines, ...hunk }: DiffHunk): DiffHunk {
  const hasContent = ({ kind, text }: DiffHunk["lines"][number]): boolean => kind !== " " || text.trim() !== "";
  return {
    ...hunk,
    lines: lines.slice(Math.max(0, lines.findIndex(hasContent)), lines.findLastIndex(hasContent) + 1),
  };
}

function findLinePositions(lines: readonly string[], wanted: readonly string[]): readonly number[] {
  const found: number[] = [];
  for (let at = 0; at + wanted.length <= lines.length; at++)
    if (wanted.every((line, index) => line === lines[at + index])) found.push(at);
  return found;
}

/**
 * Chooses the place that the diff itself identifies: by line number, by the text after @@, or because only one is left after the last hunk.
 */
function choosePosition(
  found: readonly number[],
  texts: readonly string[],
  { line, anchor }: DiffHunk,
  { from, shift }: Progress,
): number | undefined {
  if (line !== undefined && found.includes(line - 1 + shift)) return line - 1 + shift;
  const anchors =
    anchor === ""
      ? []
      : findLinePositions(
          texts.map((text) => text.trim()),
          [anchor],
        );
  const [after, another] = anchors;
  if (after !== undefined && another === undefined) return found.find((at) => at > after && isBelow(texts, after, at));
  const left = from === 0 ? found : found.filter((at) => at >= from);
  return left.length === 1 ? left[0] : undefined;
}

/** True if a line belongs to the block that begins at an anchor: all lines between them are indented deeper than the anchor. */
function isBelow(texts: readonly string[], anchor: number, at: number): boolean {
  const depth = getLineIndent(texts[anchor] ?? "").length;
  return texts.slice(anchor + 1, at).every((text) => !/\w/.test(text) || getLineIndent(text).length > depth);
}

function explainAmbiguousHunk(found: readonly number[]): string {
  const lines = found.slice(0, MOST_PLACES).map((at) => at + 1);
  const rest = found.length > MOST_PLACES ? " and further on" : "";
  return `its lines are in the file ${found.length} times, at lines ${lines.join(", ")}${rest}. Add unchanged lines around it until it is unique.`;
}

/**
 * Unchanged lines stay as in the file. Added lines follow its indentation and line ends, and keep the parts that they share with removed
 * ones.
 */
function computeNewLines(
  hunk: DiffHunk,
  found: readonly EndedLine[],
  level: number,
  eol: string,
): readonly EndedLine[] {
  const { old, fresh } = splitHunkSides(hunk);
  const pairs = old.map((line, index) => ({
    wanted: getLineIndent(line),
    found: getLineIndent(found[index]?.text ?? ""),
  }));
  const fitted = level < ANY_INDENT ? fresh : reindentLines(fresh.join("\n"), pairs).split("\n");
  const end = found.find((line) => line.end !== "")?.end ?? eol;
  const result: EndedLine[] = [];
  let [taken, from] = [0, 0];
  const change = { removed: 0, added: 0 };
  const finish = (): void => {
    const [at, to] = [taken + change.removed, from + change.added];
    const blended = carryOverLineWhiteSpace(
      found.slice(taken, at),
      old.slice(taken, at),
      fresh.slice(from, to),
      fitted.slice(from, to),
    );
    result.push(...blended.map((line) => ({ ...line, end: line.end || end })));
    [taken, from, change.removed, change.added] = [at, to, 0, 0];
  };
  for (const { kind } of hunk.lines) {
    if (kind === "-") change.removed += 1;
    else if (kind === "+") change.added += 1;
    else {
      finish();
      result.push(found[taken++] ?? { text: "", end });
      from += 1;
    }
  }
  finish();
  return result;
}
