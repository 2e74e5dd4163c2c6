import { hunksOfLines } from "./hunks.ts";
import { type Line, linesOf } from "./lines.ts";

/** What a change does that the editor's diff does not mark by default, as sentences: white space around lines, and line ends. */
export function hiddenChanges(before: string, after: string): readonly string[] {
  const kept = keptLines(linesOf(before), linesOf(after));
  const spaced = kept.filter(([left, right]) => left.text !== right.text).length;
  const ended = kept.filter(([left, right]) => left.end && right.end && left.end !== right.end).length;
  return [
    ...(spaced > 0
      ? [`${lines(spaced)} only in white space at the start or end, which the diff may not mark.`]
      : []),
    ...(ended > 0 ? [`${lines(ended)} in how they end (LF or CRLF), which the diff does not mark.`] : []),
  ];
}

function lines(count: number): string {
  return count === 1 ? "1 line changes" : `${count} lines change`;
}

/** Pairs of lines that the diff shows as the same one. */
function keptLines(before: readonly Line[], after: readonly Line[]): readonly (readonly [Line, Line])[] {
  const changed = hunksOfLines(
    before.map((line) => line.text.trim()),
    after.map((line) => line.text.trim()),
  );
  const pairs: (readonly [Line, Line])[] = [];
  let left = 0;
  let right = 0;
  for (const hunk of [...changed, { left: { start: before.length, end: 0 }, right: { start: 0, end: 0 } }]) {
    for (; left < hunk.left.start; left++, right++) {
      const [was, is] = [before[left], after[right]];
      if (was && is) pairs.push([was, is]);
    }
    left = hunk.left.end;
    right = hunk.right.end;
  }
  return pairs;
}
