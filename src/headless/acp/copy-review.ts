import type { ToolCallContent, ToolCallUpdate } from "@agentclientprotocol/sdk";
import { escapeForApproval } from "../../core/base/text.ts";
import { type Review, type ReviewedChange, readChangeTexts } from "../../isolation/review/review.ts";
import type { IsolatedRun } from "../../runtime/isolated/isolated-run.ts";
import { acceptReviewed, printReview, selectAcceptedLabels } from "../runs/isolated-commands.ts";
import { renderChange } from "../runs/shown-changes.ts";
import type { Session } from "../session.ts";
import { createTextContent } from "./tool-calls.ts";

/** More than this isn't shown in one question, so it isn't accepted by one. */
const MOST_CHARS = 1_000_000;

/** How the end of an isolated run is put to the person. */
interface CopyQuestion {
  readonly id: string;
  /** True if the person accepts everything that is shown. */
  ask(toolCall: ToolCallUpdate): Promise<boolean>;
}

/** Prints what an isolated run has changed, and brings into the workspace what the person accepts, all of which is shown. */
export async function reviewInEditor(session: Session, isolation: IsolatedRun, question: CopyQuestion): Promise<void> {
  const { id } = question;
  const review = await isolation.review(session.around.signal);
  printReview(session, review);
  const labels = selectAcceptedLabels(review, { files: [], replaced: [] });
  const wanted = review.changes.filter(({ label }) => labels.has(label));
  if (wanted.length > 0 && (await isAccepted(session, review, wanted, question)))
    await acceptReviewed(session, isolation, review, { files: [], replaced: [] });
  if (review.changes.length === 0) return;
  const [see, accept, discard] = ["changes", "accept", "discard"].map((verb) => `autogpt runs ${verb} ${id}`);
  session.out.writeLine(
    `What wasn't accepted stays in the copy. To see it: ${see}. Then, to accept it: ${accept}. To throw it away: ${discard}.`,
  );
}

async function isAccepted(
  { options }: Session,
  review: Review,
  changes: readonly ReviewedChange[],
  { id, ask }: CopyQuestion,
): Promise<boolean> {
  if (options.accept) return true;
  const content: ToolCallContent[] = [];
  for (const change of changes) content.push(...(await describeChange(review, change)));
  if (JSON.stringify(content).length > MOST_CHARS) return false;
  const title = `Bring ${changes.length === 1 ? "this change" : `these ${changes.length} changes`} into the workspace?`;
  const toolCallId = `${id}/review/${Date.now()}`;
  return ask({ toolCallId, title, kind: "edit", status: "pending", content });
}

/** A change as a diff where it's one of plain text, and else in words. */
async function describeChange(review: Review, change: ReviewedChange): Promise<readonly ToolCallContent[]> {
  const { mine, result } = await readChangeTexts(review, change);
  const { label, path, kind, states } = change;
  const isText = result !== undefined && (mine !== undefined || states.mine.kind === "missing");
  const isSameMode =
    states.mine.kind !== "file" || states.theirs.kind !== "file" || states.mine.mode === states.theirs.mode;
  if (isText && isSameMode && escapeForApproval(result) === result)
    return [{ type: "diff", path, oldText: mine ?? null, newText: result }];
  return [createTextContent(`${kind} ${JSON.stringify(label)}\n${await renderChange(review, change)}`)];
}
