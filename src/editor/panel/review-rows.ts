import { omitUndefined } from "../../core/base/objects.ts";
import { cutText, escapeInvisible } from "../../core/base/text.ts";
import { sha256 } from "../../disk/sha256.ts";
import type { Choice } from "../../isolation/review/accept.ts";
import type { Review, ReviewedChange } from "../../isolation/review/review.ts";
import { hasMarkers } from "../../isolation/review/three-way.ts";
import type { ReviewPage, ReviewRow } from "../../schema/review-page.ts";

/** Additional rows are accepted in a second round. */
const MOST_ROWS = 500;

/** The changes of a review that need a decision, each with its row; excludes changes that the workspace already has. */
export function createReviewRows(
  review: Review,
  edits: ReadonlyMap<string, string>,
): Pick<ReviewPage, "rows" | "count" | "version"> {
  const open = review.changes.filter(({ result }) => result !== "same");
  const shown = open.slice(0, MOST_ROWS);
  return {
    version: computeVersion(review),
    rows: shown.map((change) => createRow(change, edits.get(change.label))),
    count: open.length,
  };
}

/** Lines of a manifest in a row, and the characters of each; the diff has them all. */
const MOST_LINES = 8;
const LONGEST_LINE = 160;

/** A conflict is settled once the user's text has no marked lines left. */
function createRow(change: ReviewedChange, edit: string | undefined): ReviewRow {
  const { label, kind, result, settle, added, removed, ownYes, ownLines } = change;
  const isConflict = result === "conflict" && (edit === undefined || hasMarkers(edit));
  const why = result === "conflict" && !isConflict ? undefined : change.why;
  const lines = ownLines.slice(0, MOST_LINES).map((line) => escapeInvisible(cutText(line, LONGEST_LINE)));
  const own = [
    ...(result === "refused" ? (["refused"] as const) : []),
    ...(isConflict ? (["conflict"] as const) : []),
    ...ownYes,
  ];
  return {
    file: label,
    kind,
    ...(ownYes.includes("binary") ? { added: 0, removed: 0 } : { added, removed }),
    ...omitUndefined({ merged: result === "merged" || undefined, edited: edit !== undefined || undefined, settle }),
    ...(own.length > 0 ? { own } : {}),
    ...(lines.length > 0 ? { lines } : {}),
    ...(ownLines.length > lines.length ? { moreLines: ownLines.length - lines.length } : {}),
    ...omitUndefined({ why }),
  };
}

/** Identifies everything that a review compares, so that nothing different can be accepted. */
function computeVersion({ changes }: Review): string {
  return sha256(JSON.stringify(changes.map(({ label, result, states }) => [label, result, states])));
}

/** The version to write for each chosen file: the chosen side of a conflict, the user's text, or the result. */
export function acceptChoices(
  review: Review,
  files: readonly string[],
  edits: ReadonlyMap<string, string>,
  side?: "mine" | "run",
): ReadonlyMap<string, Choice> {
  const chosen = review.changes.filter(({ label }) => files.includes(label));
  return new Map(
    chosen.map(({ label, result }): [string, Choice] => {
      if (result === "conflict" && side) return [label, side];
      const text = edits.get(label);
      if (text !== undefined) return [label, { text }];
      return [label, "result"];
    }),
  );
}
