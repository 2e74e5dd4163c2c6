import type { PreviewShape } from "../../schema/panel-values.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import type { Preview } from "./command.ts";

export type { PreviewShape } from "../../schema/panel-values.ts";

/** A place where the user sees a pending proposal. */
export type PreviewLocation =
  /** The end of the unfolded text was visible on the panel's card. */
  | "card"
  /** A text editor with the whole preview. */
  | "editor"
  /** The diff editor of a file change. */
  | "diff"
  /** A notification with the whole command line. */
  | "notification"
  /** A message in the editor's chat with the whole text. */
  | "chat";

/** VS Code cuts longer lines in a diff. */
const DIFF_LINE = 10_000;

export function getPreviewShape(preview: Preview): PreviewShape {
  if (preview.kind !== "change") return preview.kind;
  const before = new Set(preview.before?.split("\n"));
  const isCut = preview.after.split("\n").some((line) => line.length >= DIFF_LINE && !before.has(line));
  return isCut ? "cutChange" : "change";
}

/** Places that show each shape completely. The card only summarizes a file change, so its diff must be open. */
const WHOLE: Readonly<Record<PreviewShape, ReadonlySet<PreviewLocation>>> = {
  change: new Set(["diff"]),
  cutChange: new Set(["editor"]),
  details: new Set(["card", "editor", "notification", "chat"]),
};

/** True if one of these places showed a proposal of this shape completely. */
export function isFullyShown(shape: PreviewShape, shown: Iterable<PreviewLocation>): boolean {
  return [...shown].some((where) => WHOLE[shape].has(where));
}

const HINT: Readonly<Record<PreviewShape, DisplayText>> = {
  change: displayText("approval.diffHint"),
  cutChange: displayText("approval.editorHint"),
  details: displayText("approval.scrollHint"),
};

/** Explains how to see the rest of a proposal before it can be approved. */
export function explainHowToSeeAll(shape: PreviewShape): DisplayText {
  return HINT[shape];
}
