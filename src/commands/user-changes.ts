import { createPatch } from "diff";

/** Comparing stops there; what the user changed is then told by the whole text. */
const LONGEST_COMPARISON_MS = 200;

/** Longer differences are not quoted. */
const LONGEST_QUOTE = 20_000;

/** What the user made of a proposed text, for the model: a sentence and the difference. "" when it was accepted as it stood. */
export function userChanges(label: string, proposed: string, accepted: string): string {
  if (accepted === proposed) return "";
  const patch = createPatch(label, proposed, accepted, "proposed", "accepted", {
    context: 2,
    timeout: LONGEST_COMPARISON_MS,
  });
  if (patch === undefined || patch.length > LONGEST_QUOTE)
    return "The user changed much of what you proposed before accepting it. Read the file before you go on with it.";
  const hunks = patch.slice(patch.indexOf("@@"));
  return `The user changed your proposal before accepting it (- is what you proposed, + is what was written):\n${hunks.trimEnd()}`;
}
