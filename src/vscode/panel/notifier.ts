import * as vscode from "vscode";
import type { HostedRun, HostedRuns } from "../../panel/hosted-runs.ts";
import { approvalNotice, askerName } from "../../panel/notification-text.ts";
import { unsavedFor } from "../../review/card-handlers.ts";
import {
  type PendingDecisions,
  type PendingProposal,
  pendingProposal,
} from "../../review/pending-decisions.ts";
import { t } from "../../texts/language.ts";
import { unsavedFiles } from "../workspace/unsaved-files.ts";

/** Notifies the user of what needs a decision while the panel doesn't show it. */
export function notifier(
  runs: HostedRuns,
  panel: { readonly visible: boolean; readonly focused: boolean },
  pending: PendingDecisions,
): vscode.Disposable {
  const notified = new WeakSet<object>();
  return runs.onChange((hosted) => {
    const proposal = pendingProposal(hosted);
    const question = hosted.live?.pending?.kind === "question" ? hosted.live.pending : undefined;
    const subject = proposal?.request ?? question;
    // Some hosts count a window as left while its panel has the focus.
    const isFocused = vscode.window.state.focused || panel.focused;
    const isOnShow = panel.visible && runs.shown === hosted && isFocused;
    if (!subject || notified.has(subject) || isOnShow) return;
    notified.add(subject);
    if (proposal) void askForDecision(proposal, pending);
    else void askForAnswer(hosted);
  });
}

async function askForDecision(proposal: PendingProposal, pending: PendingDecisions): Promise<void> {
  const { hosted, request } = proposal;
  const { text, approvable } = approvalNotice(hosted, request);
  const isWhole = approvable && unsavedFor(proposal, unsavedFiles).length === 0;
  const [review, approve] = [t("review.reviewButton"), t("approval.approveButton")];
  const buttons = isWhole ? [review, approve] : [review];
  const answer = await vscode.window.showInformationMessage(text, ...buttons);
  if (answer === review) await vscode.commands.executeCommand("autogpt.openPanel", hosted.id, request.step);
  if (answer !== approve) return;
  if (pendingProposal(hosted)?.request === request) {
    pending.saw(proposal, "notification");
    await pending.approve(proposal);
  } else void vscode.window.showInformationMessage(t("review.alreadyDecided"));
}

async function askForAnswer(hosted: HostedRun): Promise<void> {
  const text = t("review.question", { agent: askerName(hosted) });
  const button = t("approval.answerButton");
  const answer = await vscode.window.showInformationMessage(text, button);
  if (answer === button) await vscode.commands.executeCommand("autogpt.giveFeedback", hosted.id);
}
