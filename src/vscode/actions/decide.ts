import * as vscode from "vscode";
import type { DiffReview } from "../diff-review.ts";
import { type HostedRun, type HostedRuns, runGiven } from "../hosted-runs.ts";
import { plain, withProgress } from "../say.ts";
import { showWhole } from "../show-whole.ts";
import type { TextDocuments } from "../text-documents.ts";
import type { WaitingProposal, Waits } from "../waits.ts";

/** What deciding on a proposal needs. */
export interface Deciding {
  readonly runs: HostedRuns;
  readonly diff: DiffReview;
  readonly waits: Waits;
  readonly documents: TextDocuments;
  criticise(waiting: WaitingProposal, signal: AbortSignal): Promise<void>;
}

/** Actions on the proposal that waits: the active diff's, else the shown run's, else the only one. */
export function decideActions(deciding: Deciding) {
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

/** Shows a proposal that was not seen as a whole, instead of approving it. */
async function isSeen(deciding: Deciding, waiting: WaitingProposal): Promise<boolean> {
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

async function approveNext(deciding: Deciding): Promise<void> {
  const { waits } = deciding;
  const waiting = waits.current();
  if (!waiting || !(await isSeen(deciding, waiting))) return;
  const answer = await vscode.window.showInputBox({
    title: "Approve the next commands",
    prompt:
      "How many commands, this one included? A refusal, a question or a sensitive command ends the grant.",
    value: "3",
    validateInput: (text) =>
      /^[1-9]\d{0,2}$/.test(text.trim()) ? undefined : "A whole number from 1 to 999.",
  });
  if (answer !== undefined) await waits.approve(waiting, { count: Number(answer.trim()) });
}

async function refuse({ waits }: Deciding): Promise<void> {
  const waiting = waits.forKey();
  if (!waiting) return;
  const reason = await vscode.window.showInputBox({
    title: `Refuse ${plain(waiting.request.proposal.call.name)}`,
    prompt: "Why? The agent reads it. Leave it empty to refuse without a reason.",
  });
  if (reason !== undefined) await waits.refuse(waiting, reason);
}

async function giveFeedback({ waits, runs }: Deciding, run: unknown): Promise<void> {
  const hosted = runGiven(runs, run) ?? waits.current()?.hosted ?? runs.shown ?? runs.all.at(-1);
  if (!hosted?.live) throw new Error("No run is open that could be told something. Start an agent first.");
  const prompt = whatWordsDo(hosted.live.waiting);
  const text = await vscode.window.showInputBox({ title: "Tell the agent", prompt });
  if (text?.trim()) await hosted.live.say(text.trim());
}

function whatWordsDo(waiting: NonNullable<HostedRun["live"]>["waiting"]): string {
  if (waiting?.kind === "proposal") return "The waiting command is refused, and the agent reads this.";
  if (waiting?.kind === "question") return `The agent asks: ${plain(waiting.text)}`;
  return "The agent reads this before its next step.";
}

async function selfFeedback({ waits, criticise }: Deciding): Promise<void> {
  const waiting = waits.current();
  if (!waiting) return;
  const title = "AutoGPT: looking at its own thoughts again";
  await withProgress(title, (signal) => criticise(waiting, signal));
}
