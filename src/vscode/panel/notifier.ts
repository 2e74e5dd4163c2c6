import * as vscode from "vscode";
import type { HostedRun, HostedRuns } from "../../editor/panel/hosted-runs.ts";
import { createApprovalNotice, formatDisplayLine, getAskerName } from "../../editor/panel/notification-text.ts";
import {
  type BoardAnswer,
  type BoardQuestion,
  createQuestionId,
  type QuestionBoard,
} from "../../editor/panel/question-board.ts";
import type { QuestionPoster } from "../../editor/panel/question-post.ts";
import { getRunTitle } from "../../editor/panel/run-status.ts";
import { listUnsavedFiles } from "../../editor/review/card-handlers.ts";
import { measureChangeSize } from "../../editor/review/change-figures.ts";
import { findPendingProposal, type PendingDecisions } from "../../editor/review/pending-decisions.ts";
import { t } from "../../texts/language.ts";
import { unsavedFiles } from "../workspace/unsaved-files.ts";
import { getWindowAddress, watchOtherWindows } from "./other-windows.ts";

/** Dependencies of notifications. */
interface NotifierDependencies {
  readonly runs: HostedRuns;
  readonly panel: { readonly visible: boolean; readonly focused: boolean };
  readonly waits: PendingDecisions;
  readonly board: QuestionBoard;
  readonly poster: QuestionPoster;
  /** Runs whose ends other code reports. */
  readonly compared: ReadonlySet<string>;
  readonly inChat: ReadonlySet<string>;
  /** A link that opens a run. */
  createLink(run: string): string;
}

/** How long the window with the focus has to show a question before the one that asks does. */
const OTHERS_FIRST_MS = 2_500;
/** A question in view is also sent if it waits this long: its user has gone away. */
const AWAY_MS = 60_000;

/** Notifies the user, in one window, of a required decision that neither the panel nor the chat shows, and answers to other windows. */
export function notifyUserOfDecisions(parts: NotifierDependencies): vscode.Disposable {
  const { runs, panel, board, compared, inChat } = parts;
  const notified = new Set<string>();
  // Some hosts count a window as left while its panel has the focus.
  const isFocused = (): boolean => vscode.window.state.focused || panel.focused;
  const isOnShow = (hosted: HostedRun): boolean =>
    ((panel.visible && runs.shown === hosted) || inChat.has(hosted.id)) && isFocused();
  const ends = runs.onEvent(({ runId, event }) => {
    const hosted = compared.has(runId) ? undefined : runs.get(runId);
    if (event.type === "over" && (hosted?.isolation ?? hosted?.place) && !isOnShow(hosted)) void offerReview(hosted);
  });
  /** The question of each run that other windows know. */
  const announced = new Map<string, string>();
  const asks = runs.onChange((hosted) => {
    const question = describeQuestion(hosted);
    if (!question) {
      announced.delete(hosted.id);
      return void board.remove(hosted.id).catch(() => undefined);
    }
    if (announced.get(hosted.id) !== question.id) {
      announced.set(hosted.id, question.id);
      void board.put(question).catch(() => undefined);
      setTimeout(() => isStillAsked(runs, question) && post(parts, hosted, question), AWAY_MS).unref();
    }
    if (notified.has(question.id) || isOnShow(hosted)) return;
    notified.add(question.id);
    post(parts, hosted, question);
    const show = async (): Promise<void> => {
      if (isStillAsked(runs, question) && (await board.claim(question).catch(() => true)))
        await (question.kind === "proposal" ? askForDecision(parts, hosted, question) : askForAnswer(hosted, question));
    };
    if (isFocused()) void show();
    else setTimeout(() => void show(), OTHERS_FIRST_MS).unref();
  });
  const answers = board.onAnswer((answer) => void takeAnswer(parts, answer));
  return vscode.Disposable.from(ends, asks, answers, watchOtherWindows(board, isFocused));
}

/** Describes the question that a run asks now; undefined if it asks none. */
function describeQuestion(hosted: HostedRun | undefined): BoardQuestion | undefined {
  const proposal = findPendingProposal(hosted);
  const waiting = hosted?.live?.pending;
  if (!hosted || !waiting) return undefined;
  const common = { run: hosted.id, window: getWindowAddress() };
  if (!proposal) {
    const asked = waiting.kind === "question" ? waiting.text : "";
    const id = createQuestionId(hosted.id, hosted.run.state.open?.step ?? 0, asked);
    const text = formatDisplayLine(`${t("review.question", { agent: getAskerName(hosted) })} ${asked}`);
    return { ...common, id, kind: "question", approvable: false, text };
  }
  const { request } = proposal;
  const { preview } = request.prepared;
  const figures =
    preview.kind === "change" ? measureChangeSize({ before: preview.before, proposed: preview.after }) : undefined;
  const { text, approvable } = createApprovalNotice(hosted, request, figures);
  const isWhole = approvable && listUnsavedFiles(proposal, unsavedFiles).length === 0;
  const id = createQuestionId(hosted.id, request.step, request.hash);
  return { ...common, id, kind: "proposal", approvable: isWhole, text };
}

function isStillAsked(runs: HostedRuns, { run, id }: Pick<BoardQuestion, "run" | "id">): boolean {
  return describeQuestion(runs.get(run))?.id === id;
}

function post({ poster, createLink }: NotifierDependencies, hosted: HostedRun, { id, run, text }: BoardQuestion): void {
  const title = t("review.notifyTitle", { run: formatDisplayLine(getRunTitle(hosted)) });
  void poster.post({ id, title, text, link: createLink(run) });
}

/** Offers a review of an isolated run's changes in its copy. */
async function offerReview(hosted: HostedRun): Promise<void> {
  const review = t("review.reviewButton");
  const text = t("isolation.ended", { task: formatDisplayLine(getRunTitle(hosted)) });
  const answer = await vscode.window.showInformationMessage(text, review);
  if (answer === review) await vscode.commands.executeCommand("autogpt.openRun", hosted.id);
}

async function askForDecision(parts: NotifierDependencies, hosted: HostedRun, question: BoardQuestion): Promise<void> {
  const [review, approve] = [t("review.reviewButton"), t("approval.approveButton")];
  const buttons = question.approvable ? [review, approve] : [review];
  const answer = await vscode.window.showInformationMessage(question.text, ...buttons);
  if (answer === review) await showCard(hosted);
  if (answer === approve) await approveShown(parts, question);
}

async function showCard(hosted: HostedRun): Promise<void> {
  const step = findPendingProposal(hosted)?.request.step;
  await vscode.commands.executeCommand("autogpt.openPanel", hosted.id, step);
}

/** Approves the very proposal that a notification showed whole, if it still waits. */
async function approveShown(
  { runs, waits }: NotifierDependencies,
  { run, id }: Pick<BoardQuestion, "run" | "id">,
): Promise<void> {
  const now = describeQuestion(runs.get(run));
  const proposal = findPendingProposal(runs.get(run));
  if (proposal && now?.id === id && now.approvable) {
    waits.markSeen(proposal, "notification");
    await waits.approve(proposal);
  } else void vscode.window.showInformationMessage(t("review.alreadyDecided"));
}

async function askForAnswer(hosted: HostedRun, { text }: BoardQuestion): Promise<void> {
  const button = t("approval.answerButton");
  const answer = await vscode.window.showInformationMessage(text, button);
  if (answer === button) await vscode.commands.executeCommand("autogpt.giveFeedback", hosted.id);
}

/** Does what the user chose in another window, if this one still asks it. */
async function takeAnswer(parts: NotifierDependencies, answer: BoardAnswer): Promise<void> {
  const hosted = parts.runs.get(answer.run);
  if (!hosted || !isStillAsked(parts.runs, answer)) return;
  switch (answer.act) {
    case "show":
      return showCard(hosted);
    case "approve":
      return approveShown(parts, answer);
    case "say":
      if (hosted.live?.pending?.kind === "question") await hosted.live.say(answer.text);
  }
}
