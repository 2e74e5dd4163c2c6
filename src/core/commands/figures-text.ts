import type { ChangeFigures } from "../../schema/panel-values.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";

/** A sentence on what the user's edit did to a proposed change, for the status bar and screen readers. */
export function describeChangeFigures(figures: ChangeFigures, before: ChangeFigures | undefined): DisplayText {
  const { added, removed, hunks, dropped, edited } = figures;
  if (!edited) return displayText("review.proposalRestored", { added, removed });
  if (hunks === 0) return displayText("review.everythingDropped");
  if (dropped !== (before?.dropped ?? 0) && dropped > 0)
    return displayText("review.hunksDropped", { count: dropped, added, removed });
  return displayText("review.proposalEdited", { added, removed });
}
