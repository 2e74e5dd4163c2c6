import type { PreviewShape } from "../../schema/panel-values.ts";
import type { Preview } from "./command.ts";

export type { PreviewShape } from "../../schema/panel-values.ts";

/** A place where the user sees a waiting proposal. */
export type PreviewLocation =
  /** The end of the unfolded text was in view on the panel's card. */
  | "card"
  /** A text editor with everything the proposal would do. */
  | "editor"
  /** The editor that compares the file with what would be written. */
  | "diff"
  /** A notification that holds the whole command line. */
  | "notification";

/** Characters of a line that VS Code shows in a diff. */
const DIFF_LINE = 10_000;

export function shapeOf(preview: Preview): PreviewShape {
  if (preview.kind !== "change") return preview.kind;
  const before = new Set(preview.before?.split("\n"));
  const isCut = preview.after.split("\n").some((line) => line.length >= DIFF_LINE && !before.has(line));
  return isCut ? "cutChange" : "change";
}

/** Where each shape is shown as a whole. The card only sums up a file change, so that its diff has to be open. */
const WHOLE: Readonly<Record<PreviewShape, ReadonlySet<PreviewLocation>>> = {
  change: new Set(["diff"]),
  cutChange: new Set(["editor"]),
  details: new Set(["card", "editor", "notification"]),
};

/** True when a proposal of this shape was shown as a whole at one of these places. */
export function isFullyShown(shape: PreviewShape, shown: Iterable<PreviewLocation>): boolean {
  return [...shown].some((where) => WHOLE[shape].has(where));
}

const HINT: Readonly<Record<PreviewShape, string>> = {
  change: "Open the diff to approve.",
  cutChange: "A line is too long for the diff. Open all of it in an editor to approve.",
  details: "Scroll to the end or open it in an editor to approve.",
};

/** Tells a user who hasn't seen the whole proposal how to get to approve it. */
export function approvalHint(shape: PreviewShape): string {
  return HINT[shape];
}
