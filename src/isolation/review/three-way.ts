import { diff3Merge, diffIndices } from "node-diff3";
import { countCommonEnd, countCommonStart } from "../../core/base/objects.ts";

/** The result of merging three contents: whole, or with marked conflicts. */
export interface Merge {
  readonly content: Buffer;
  readonly conflicts: number;
}

/** Prefixes of the lines that mark a conflict. */
const MARKERS = {
  mine: "<<<<<<< workspace",
  between: "=======",
  theirs: ">>>>>>> isolated run",
} as const;

/** In the worst case, all pairs of lines are compared, so longer texts aren't merged. */
const MOST_PAIRS = 200_000_000;

/** True for content that can't be merged by lines. */
export function isBinary(content: Buffer): boolean {
  return content.includes(0);
}

/**
 * Merges two sides' changes to a text by lines. Bytes aren't converted and lines include their ends, so line ends and encodings stay.
 * Undefined if the texts are too long to compare.
 */
export function mergeLines(base: Buffer, mine: Buffer, theirs: Buffer): Merge | undefined {
  const [old, own, other] = [splitContentLines(base), splitContentLines(mine), splitContentLines(theirs)];
  const head = Math.min(countCommonStart(old, own), countCommonStart(old, other));
  const tail = Math.min(countCommonEnd(old, own, head), countCommonEnd(old, other, head));
  const cutMiddleLines = (lines: readonly string[]) => lines.slice(head, lines.length - tail);
  const [a, o, b] = [cutMiddleLines(own), cutMiddleLines(old), cutMiddleLines(other)];
  if (o.length * Math.max(a.length, b.length) > MOST_PAIRS) return undefined;
  const parts: string[] = [];
  let conflicts = 0;
  for (const region of diff3Merge(a, o, b, { excludeFalseConflicts: true })) {
    const { ok, conflict } = region;
    if (ok) for (const line of ok) parts.push(line);
    if (!conflict) continue;
    conflicts += 1;
    parts.push(...markConflict(conflict.a, conflict.b));
  }
  const all = [...old.slice(0, head), ...parts, ...old.slice(old.length - tail)];
  return { content: Buffer.from(all.join(""), "latin1"), conflicts };
}

/** Both sides of a conflict between lines that mark it. */
function markConflict(mine: readonly string[], theirs: readonly string[]): readonly string[] {
  const end = [...mine, ...theirs].some((line) => line.endsWith("\r\n")) ? "\r\n" : "\n";
  const endLines = (lines: readonly string[]) => lines.map((line) => (line.endsWith("\n") ? line : `${line}${end}`));
  return [
    `${MARKERS.mine}${end}`,
    ...endLines(mine),
    `${MARKERS.between}${end}`,
    ...endLines(theirs),
    `${MARKERS.theirs}${end}`,
  ];
}

/** True for a text in which a conflict is still marked. */
export function hasMarkers(text: string): boolean {
  const lines = new Set(text.split(/\r\n|\r|\n/));
  return lines.has(MARKERS.mine) || lines.has(MARKERS.theirs);
}

/** The numbers of lines that a change adds and removes. */
export function countChangedLines(before: Buffer, after: Buffer): { readonly added: number; readonly removed: number } {
  const [old, now] = [splitContentLines(before), splitContentLines(after)];
  const head = countCommonStart(old, now);
  const tail = countCommonEnd(old, now, head);
  const [from, to] = [old.slice(head, old.length - tail), now.slice(head, now.length - tail)];
  if (from.length === 0 || to.length === 0 || from.length * to.length > MOST_PAIRS)
    return { added: to.length, removed: from.length };
  const differences = diffIndices(from, to);
  return {
    added: differences.reduce((sum, { buffer2 }) => sum + buffer2[1], 0),
    removed: differences.reduce((sum, { buffer1 }) => sum + buffer1[1], 0),
  };
}

/** Lines with their ends, one character for each byte. */
function splitContentLines(content: Buffer): readonly string[] {
  return content.toString("latin1").match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
