import * as vscode from "vscode";
import type { HostedRun, HostedRuns } from "../../editor/panel/hosted-runs.ts";
import { createApprovalNotice, formatDisplayLine, getAskerName } from "../../editor/panel/notification-text.ts";
import { getRunTitle } from "../../editor/panel/run-status.ts";
import { listUnsavedFiles } from "../../editor/review/card-handlers.ts";
import { measureChangeSize } from "../../editor/review/change-figures.ts";
import {
  findPendingProposal,
  type PendingDecisions,
  type PendingProposal,
} from "../../editor/review/pending-decisions.ts";
import { t } from "../../texts/language.ts";
import { unsavedFiles } from "../workspace/unsaved-files.ts";

/** Notifies the user of a required decision that neither the panel nor the chat shows. Other code reports the ends of `compared` runs. */
export function notifyUserOfDecisions(
  runs: HostedRuns,
  panel: { readonly visible: boolean; readonly focused: boolean },
  pending: PendingDecisions,
  { compared, inChat }: { readonly compared: ReadonlySet<string>; readonly inChat: ReadonlySet<string> },
): vscode.Disposable {
  const notified = new WeakSet<object>();
  // Some hosts count a window as left while its panel has the focus.
  const isFocused = (): boolean => vscode.window.state.focused || panel.focused;
  const isOnShow = (hosted: HostedRun): boolean =>
    ((panel.visible && runs.shown === hosted) || inChat.has(hosted.id)) && isFocused();
  const ends = runs.onEvent(({ runId, event }) => {
    const hosted = compared.has(runId) ? undefined : runs.get(runId);
    if (event.type === "over" && hosted?.isolation && !isOnShow(hosted)) void offerReview(hosted);
  });
  const asks = runs.onChange((hosted) => {
    const proposal = findPendingProposal(hosted);
    const question = hosted.live?.pending?.kind === "question" ? hosted.live.pending : undefined;
    const subject = proposal?.request ?? question;
    if (!subject || notified.has(subject) || isOnShow(hosted)) return;
    notified.add(subject);
    if (proposal) void askForDecision(proposal, pending);
    else void askForAnswer(hosted);
  });
  return vscode.Disposable.from(ends, asks);
}

/** Offers a review of an isolated run's changes in its copy. */
async function offerReview(hosted: HostedRun): Promise<void> {
  const review = t("review.reviewButton");
  const text = t("isolation.ended", { task: formatDisplayLine(getRunTitle(hosted)) });
  const answer = await vscode.window.showInformationMessage(text, review);
  if (answer === review) await vscode.commands.executeCommand("autogpt.openRun", hosted.id);
}

async function askForDecision(proposal: PendingProposal, pending: PendingDecisions): Promise<void> {
  const { hosted, request } = proposal;
  const { preview } = request.prepared;
  const figures =
    preview.kind === "change" ? measureChangeSize({ before: preview.before, proposed: preview.after }) : undefined;
  const { text, approvable } = createApprovalNotice(hosted, request, figures);
  const isWhole = approvable && listUnsavedFiles(proposal, unsavedFiles).length === 0;
  const [review, approve] = [t("review.reviewButton"), t("approval.approveButton")];
  const buttons = isWhole ? [review, approve] : [review];
  const answer = await vscode.window.showInformationMessage(text, ...buttons);
  if (answer === review) await vscode.commands.executeCommand("autogpt.openPanel", hosted.id, request.step);
  if (answer !== approve) return;
  if (findPendingProposal(hosted)?.request === request) {
    pending.markSeen(proposal, "notification");
    await pending.approve(proposal);
  } else void vscode.window.showInformationMessage(t("review.alreadyDecided"));
}

async function askForAnswer(hosted: HostedRun): Promise<void> {
  const text = t("review.question", { agent: getAskerName(hosted) });
  const button = t("approval.answerButton");
  const answer = await vscode.window.showInformationMessage(text, button);
  if (answer === button) await vscode.commands.executeCommand("autogpt.giveFeedback", hosted.id);
}
