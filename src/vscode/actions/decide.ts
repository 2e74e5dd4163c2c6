import * as vscode from "vscode";
import { assertNever } from "../../core/base/errors.ts";
import { requestCriticism } from "../../core/loop/think.ts";
import { type HostedRun, type HostedRuns, runArgument } from "../../panel/hosted-runs.ts";
import { displayLine } from "../../panel/notification-text.ts";
import { CARD_HANDLERS, type CardHandlerDependencies, type CardInput } from "../../review/card-handlers.ts";
import { type PendingProposal, showWhole } from "../../review/pending-decisions.ts";
import {
  CARD_BUTTON_NAMES,
  type CardAction,
  type CardButton,
  type CardButtonRow,
  cardButtonRow,
} from "../../schema/card-buttons.ts";
import { withProgress } from "../host/notifications.ts";
import type { DiffReview } from "../review/diff-review.ts";
import { hunkLine } from "../review/hunk-actions.ts";

/** Dependencies of the actions that decide on a proposal. */
export interface DecideDependencies extends CardHandlerDependencies {
  readonly runs: HostedRuns;
  readonly diff: DiffReview;
}

/** Asks a model to review the pending proposal and sets it aside: the review goes into the history, and nothing runs. */
export async function criticise({ hosted, live, request }: PendingProposal): Promise<void> {
  const model = hosted.fast?.();
  if (!model) throw new Error("This run is read-only, so it can't review itself.");
  const criticism = await withProgress("AutoGPT: self-review", (signal) =>
    requestCriticism(hosted.run, request.proposal, model, signal),
  );
  if (criticism === "") throw new Error("The self-review is empty. Decide on the proposal yourself.");
  await live.decide(request.step, {
    allow: false,
    feedback: "It was set aside so that you can think again; what you found in your thoughts follows.",
  });
}

/** Actions on the pending proposal: that of the active diff, of the shown run, or the only one. */
export function decideActions(parts: DecideDependencies) {
  return {
    ...cardActions(parts),
    giveFeedback: (run?: unknown) => giveFeedback(parts, run),
    approveEdited: () => act(parts, "approve"),
    dropHunk: (given?: unknown) => parts.diff.hunk("drop", hunkLine(given)),
    restoreHunk: (given?: unknown) => parts.diff.hunk("restore", hunkLine(given)),
    keepHunk: (given?: unknown) => parts.diff.hunk("keep", hunkLine(given)),
  };
}

/** The palette actions of the card's buttons. */
function cardActions(parts: DecideDependencies): Readonly<Record<CardAction, () => Promise<void>>> {
  const actions = CARD_BUTTON_NAMES.flatMap((button) => {
    const { palette } = cardButtonRow(button);
    return palette ? [[palette.action, () => act(parts, button)] as const] : [];
  });
  // The type's names are those of the rows.
  return Object.fromEntries(actions) as Record<CardAction, () => Promise<void>>;
}

async function act(parts: DecideDependencies, button: CardButton): Promise<void> {
  const { form, needs, palette } = cardButtonRow(button);
  const { waits } = parts;
  const pending = palette?.hasKey ? waits.forKey() : waits.current();
  if (!pending || (needs === "seen" && !(await isSeen(parts, pending)))) return;
  const input = await askFor(form, pending);
  if (input) await CARD_HANDLERS[button](parts, pending, input);
}

/** Asks for what a button needs; undefined when the user cancels. */
async function askFor(form: CardButtonRow["form"], pending: PendingProposal): Promise<CardInput | undefined> {
  switch (form) {
    case undefined:
      return {};
    case "count":
      return askForCount();
    case "reason":
      return askForReason(pending);
    case "arguments":
      throw new Error("Edit the arguments in the panel.");
    default:
      return assertNever(form);
  }
}

async function askForCount(): Promise<CardInput | undefined> {
  const answer = await vscode.window.showInputBox({
    title: "Approve the Next Commands",
    prompt:
      "How many commands, including this one? A rejection, a question or a sensitive command ends the approval.",
    value: "3",
    validateInput: (text) =>
      /^[1-9]\d{0,2}$/.test(text.trim()) ? undefined : "Enter a whole number from 1 to 999.",
  });
  return answer === undefined ? undefined : { count: Number(answer.trim()) };
}

async function askForReason({ request }: PendingProposal): Promise<CardInput | undefined> {
  const feedback = await vscode.window.showInputBox({
    title: `Reject ${displayLine(request.proposal.call.name)}`,
    prompt: "Tell the agent why (optional)",
  });
  return feedback === undefined ? undefined : { feedback };
}

/** Shows a proposal instead of approving it, unless all of it was seen. */
async function isSeen(parts: DecideDependencies, waiting: PendingProposal): Promise<boolean> {
  const { waits } = parts;
  const { request } = waiting;
  if (waits.isSeen(request)) return true;
  await showWhole(parts, waiting, true);
  waits.showedByKey(request);
  void vscode.window.showInformationMessage(
    `Step ${request.step} isn't approved yet, because you haven't seen all of it. It's open in the editor now. Read it, then approve it again.`,
  );
  return false;
}

async function giveFeedback({ waits, runs }: DecideDependencies, run: unknown): Promise<void> {
  const hosted = runArgument(runs, run) ?? waits.current()?.hosted ?? runs.shown ?? runs.all.at(-1);
  if (!hosted?.live) throw new Error("No agent is running. Start one first.");
  const prompt = whatWordsDo(hosted.live.pending);
  const text = await vscode.window.showInputBox({ title: "Tell the agent", prompt });
  if (text?.trim()) await hosted.live.say(text.trim());
}

function whatWordsDo(waiting: NonNullable<HostedRun["live"]>["pending"]): string {
  if (waiting?.kind === "proposal") return "This rejects the pending command and tells the agent why.";
  if (waiting?.kind === "question") return `The agent asks: ${displayLine(waiting.text)}`;
  return "The agent reads this before its next step.";
}
