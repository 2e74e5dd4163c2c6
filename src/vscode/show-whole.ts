import { shapeOf } from "../core/sight.ts";
import { wholeText } from "./card.ts";
import type { DiffReview } from "./diff-review.ts";
import type { TextDocuments } from "./text-documents.ts";
import type { WaitingProposal, Waits } from "./waits.ts";

/** Where a proposal can be shown as a whole. */
interface Editors {
  readonly waits: Waits;
  readonly diff: DiffReview;
  readonly documents: TextDocuments;
}

/** Shows everything a proposal would do in an editor: a change as its diff, if that has room for its lines. It counts as seen once the editor has all of it. */
export async function showWhole(
  { waits, diff, documents }: Editors,
  waiting: WaitingProposal,
  preserveFocus = false,
): Promise<void> {
  const { hosted, request } = waiting;
  const { step, prepared, proposal } = request;
  if (shapeOf(prepared.preview) === "change") return diff.reveal(hosted.id, step);
  const title = `Step ${step}: ${proposal.call.name}`;
  if (!(await documents.show(title, wholeText(request), { preserveFocus })))
    throw new Error("The editor did not show all of it. Scroll to its end in the panel, or reject it.");
  waits.saw(waiting, "editor");
}
