import { hunksOfLines } from "./hunks.ts";
import { editorLineEnd, type Line, linesOf, textOf, withLineEnd } from "./lines.ts";

/** A text as it stands in an editor, where all lines end alike. */
export interface Standing {
  readonly text: string;
  readonly lineEnd: "\n" | "\r\n";
}

/**
 * What stands in the editor, with the line ends the editor has lost: a line that was proposed ends as proposed, one that was there before as
 * before, any other as most proposed ones do. When the user chose another line end in the editor, all lines get it.
 */
export function withOwnLineEnds(standing: Standing, proposed: string, before: string): string {
  const opened = editorLineEnd(proposed);
  if (opened !== undefined && opened !== standing.lineEnd)
    return withLineEnd(standing.text, standing.lineEnd);
  const end = opened ?? editorLineEnd(before) ?? standing.lineEnd;
  if (allEndLike(proposed, end) && allEndLike(before, end)) return withLineEnd(standing.text, end);
  const lines = linesOf(standing.text).map(({ text }) => ({ text, end: "" }));
  return textOf(endedLike(endedLike(lines, linesOf(before)), linesOf(proposed)), end);
}

/** Lines that are in the model as well end as they do there. */
function endedLike(lines: readonly Line[], model: readonly Line[]): readonly Line[] {
  const changed = hunksOfLines(
    lines.map((line) => line.text),
    model.map((line) => line.text),
  );
  const ended: Line[] = [];
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

function allEndLike(text: string, end: string): boolean {
  return (text.match(/\r\n|\r|\n/g) ?? []).every((found) => found === end);
}
