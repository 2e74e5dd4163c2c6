import * as vscode from "vscode";
import { requestCriticism as criticiseWith } from "../../core/loop/think.ts";
import { displayLine } from "../../panel/notification-text.ts";
import { type PendingDecisions, type PendingProposal, showWhole } from "../../review/pending-decisions.ts";
import { type HostedRun, type HostedRuns, runArgument } from "../host/hosted-runs.ts";
import { withProgress } from "../host/notifications.ts";
import type { DiffReview } from "../review/diff-review.ts";
import type { TextDocuments } from "../views/text-documents.ts";

/** Asks a model to review the pending proposal and sets it aside: the review goes into the history, and nothing runs. */
export async function criticise(
  { hosted, live, request }: PendingProposal,
  signal: AbortSignal,
): Promise<void> {
  const model = hosted.fast?.();
  if (!model) throw new Error("This run is read-only, so it can't review itself.");
  const criticism = await criticiseWith(hosted.run, request.proposal, model, signal);
  if (criticism === "") throw new Error("The self-review is empty. Decide on the proposal yourself.");
  await live.decide(request.step, {
    allow: false,
    feedback: "It was set aside so that you can think again; what you found in your thoughts follows.",
  });
}

/** Dependencies of the actions that decide on a proposal. */
export interface DecideDependencies {
  readonly runs: HostedRuns;
  readonly diff: DiffReview;
  readonly waits: PendingDecisions;
  readonly documents: TextDocuments;
  criticise(waiting: PendingProposal, signal: AbortSignal): Promise<void>;
}

/** Actions on the pending proposal: that of the active diff, of the shown run, or the only one. */
export function decideActions(deciding: DecideDependencies) {
  const { diff, waits } = deciding;
  return {
    approve: async () => {
      const waiting = waits.forKey();
      if (waiting && (await isSeen(deciding, waiting))) await waits.approve(waiting);
    },
    approveNext: () => approveNext(deciding),
    refuse: () => refuse(deciding),
    giveFeedback: (run?: unknown) => giveFeedback(deciding, run),
    selfFeedback: () => selfFeedback(deciding),
    dropHunk: () => diff.dropHunk(),
    restoreHunk: () => diff.restoreHunk(),
  };
}

/** Shows a proposal instead of approving it, unless all of it was seen. */
async function isSeen(deciding: DecideDependencies, waiting: PendingProposal): Promise<boolean> {
  const { waits } = deciding;
  const { request } = waiting;
  if (waits.isSeen(request)) return true;
  await showWhole(deciding, waiting, true);
  waits.showedByKey(request);
  void vscode.window.showInformationMessage(
    `Step ${request.step} isn't approved yet, because you haven't seen all of it. It's open in the editor now. Read it, then approve it again.`,
  );
  return false;
}

async function approveNext(deciding: DecideDependencies): Promise<void> {
  const { waits } = deciding;
  const waiting = waits.current();
  if (!waiting || !(await isSeen(deciding, waiting))) return;
  const answer = await vscode.window.showInputBox({
    title: "Approve the next commands",
    prompt:
      "How many commands, including this one? A rejection, a question or a sensitive command ends the approval.",
    value: "3",
    validateInput: (text) =>
      /^[1-9]\d{0,2}$/.test(text.trim()) ? undefined : "Enter a whole number from 1 to 999.",
  });
  if (answer !== undefined) await waits.approve(waiting, { count: Number(answer.trim()) });
}

async function refuse({ waits }: DecideDependencies): Promise<void> {
  const waiting = waits.forKey();
  if (!waiting) return;
  const reason = await vscode.window.showInputBox({
    title: `Refuse ${displayLine(waiting.request.proposal.call.name)}`,
    prompt: "Tell the agent why (optional)",
  });
  if (reason !== undefined) await waits.refuse(waiting, reason);
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

async function selfFeedback({ waits, criticise }: DecideDependencies): Promise<void> {
  const waiting = waits.current();
  if (!waiting) return;
  const title = "AutoGPT: self-review";
  await withProgress(title, (signal) => criticise(waiting, signal));
}
