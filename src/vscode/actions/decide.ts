import * as vscode from "vscode";
import { completeCriticism } from "../criticise.ts";
import type { DiffReview } from "../diff-review.ts";
import type { HostedRun, HostedRuns } from "../hosted-runs.ts";
import { plain, withProgress } from "../say.ts";
import type { Waits } from "../waits.ts";

/** What deciding on a proposal needs. */
export interface Deciding {
  readonly runs: HostedRuns;
  readonly diff: DiffReview;
  readonly waits: Waits;
  criticise(hosted: HostedRun, signal: AbortSignal): Promise<string>;
}

/** Actions on the proposal that waits. With `step` and `hash` (from the panel) exactly that one, else the active diff's, else the shown run's. */
export function decideActions({ runs, diff, waits, criticise }: Deciding) {
  const approve = async (): Promise<void> => {
    const waiting = waits.forKey();
    if (waiting) await waits.approve(waiting);
  };

  const approveNext = async (): Promise<void> => {
    const waiting = waits.current();
    if (!waiting) return;
    const answer = await vscode.window.showInputBox({
      title: "Approve the next commands",
      prompt:
        "How many commands, this one included? A refusal, a question or a sensitive command ends the grant.",
      value: "3",
      validateInput: (text) =>
        /^[1-9]\d{0,2}$/.test(text.trim()) ? undefined : "A whole number from 1 to 999.",
    });
    if (answer !== undefined) await waits.approve(waiting, { count: Number(answer.trim()) });
  };

  const refuse = async (): Promise<void> => {
    const waiting = waits.forKey();
    if (!waiting) return;
    const reason = await vscode.window.showInputBox({
      title: `Refuse ${plain(waiting.request.proposal.call.name)}`,
      prompt: "Why? The agent reads it. Leave it empty to refuse without a reason.",
    });
    if (reason !== undefined) await waits.refuse(waiting, reason);
  };

  const giveFeedback = async (): Promise<void> => {
    const hosted = waits.current()?.hosted ?? runs.shown ?? runs.all.at(-1);
    if (!hosted?.live) throw new Error("No run is open that could be told something. Start an agent first.");
    const waiting = hosted.live.waiting;
    const prompt =
      waiting?.kind === "proposal"
        ? "The waiting command is refused, and the agent reads this."
        : waiting?.kind === "question"
          ? `The agent asks: ${plain(waiting.text)}`
          : "The agent reads this before its next step.";
    const text = await vscode.window.showInputBox({ title: "Tell the agent", prompt });
    if (text?.trim()) await hosted.live.say(text.trim());
  };

  const selfFeedback = async (): Promise<void> => {
    const waiting = waits.current();
    if (!waiting) return;
    const text = await withProgress("AutoGPT: looking at its own thoughts again", (signal) =>
      criticise(waiting.hosted, signal),
    );
    await completeCriticism(waiting, text);
  };

  return {
    approve,
    approveNext,
    refuse,
    giveFeedback,
    selfFeedback,
    dropHunk: async () => diff.dropHunk(),
    restoreHunk: async () => diff.restoreHunk(),
  };
}
