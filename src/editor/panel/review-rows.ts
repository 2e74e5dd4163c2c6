import { omitUndefined } from "../../core/base/objects.ts";
import { sha256 } from "../../disk/sha256.ts";
import type { Choice } from "../../isolation/review/accept.ts";
import type { Review, ReviewedChange } from "../../isolation/review/review.ts";
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
    rows: shown.map((change) => createRow(change, edits.has(change.label))),
    count: open.length,
  };
}

function createRow(change: ReviewedChange, isEdited: boolean): ReviewRow {
  const { label, kind, result, settle, why, added, removed, ownYes } = change;
  const own = [
    ...(result === "refused" ? (["refused"] as const) : []),
    ...(result === "conflict" ? (["conflict"] as const) : []),
    ...ownYes,
  ];
  return {
    file: label,
    kind,
    ...(ownYes.includes("binary") ? { added: 0, removed: 0 } : { added, removed }),
    ...omitUndefined({ merged: result === "merged" || undefined, edited: isEdited || undefined, settle }),
    ...(own.length > 0 ? { own } : {}),
    ...omitUndefined({ why }),
  };
}

/** Identifies everything that a review compares, so that nothing different can be accepted. */
function computeVersion({ changes }: Review): string {
  return sha256(JSON.stringify(changes.map(({ label, result, states }) => [label, result, states])));
}

/** The version to write for each chosen file: the user's text, the run's version if merging is impossible, or the result. */
export function acceptChoices(
  review: Review,
  files: readonly string[],
  edits: ReadonlyMap<string, string>,
): ReadonlyMap<string, Choice> {
  const chosen = review.changes.filter(({ label }) => files.includes(label));
  return new Map(
    chosen.map(({ label, result }): [string, Choice] => {
      const text = edits.get(label);
      if (text !== undefined) return [label, { text }];
      return [label, result === "conflict" ? "run" : "result"];
    }),
  );
}
