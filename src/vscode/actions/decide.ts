import * as vscode from "vscode";
import { assertNever } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { requestCriticism } from "../../core/loop/think.ts";
import { renderWholeProposal } from "../../editor/chat/chat-parts.ts";
import { findRunByArgument, type HostedRun, type HostedRuns } from "../../editor/panel/hosted-runs.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import { CARD_HANDLERS, type CardHandlerDependencies, type CardInput } from "../../editor/review/card-handlers.ts";
import {
  type NamedProposal,
  type PendingProposal,
  parseNamedProposal,
  showWhole,
} from "../../editor/review/pending-decisions.ts";
import {
  CARD_BUTTON_NAMES,
  type CardAction,
  type CardButton,
  type CardButtonRow,
  getCardButtonRow,
} from "../../schema/card-buttons.ts";
import { fail } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import { showProgress } from "../host/notifications.ts";
import type { DiffReview } from "../review/diff-review.ts";
import { findHunkLine } from "../review/hunk-actions.ts";

/** Dependencies of the actions that decide on a proposal. */
export interface DecideDependencies extends CardHandlerDependencies {
  readonly runs: HostedRuns;
  readonly diff: DiffReview;
}

/** Asks a model to review the pending proposal and sets it aside: the review goes into the history, and nothing runs. */
export async function criticise({ hosted, live, request }: PendingProposal): Promise<void> {
  const model = hosted.getFastModel?.();
  if (!model) fail("actions.decide.noSelfReview");
  const criticism = await showProgress(t("actions.decide.selfReview"), (signal) =>
    requestCriticism(hosted.run, request.proposal, model, signal),
  );
  if (criticism === "") fail("actions.decide.emptyReview");
  await live.decide(request.step, {
    allow: false,
    feedback: "It was set aside so that you can think again; what you found in your thoughts follows.",
  });
}

/** Actions on the pending proposal: that of the active diff, of the shown run, or the only one. */
export function decideActions(parts: DecideDependencies) {
  return {
    ...createCardActions(parts),
    giveFeedback: (run?: unknown) => giveFeedback(parts, run),
    approveEdited: () => runCardButton(parts, "approve"),
    dropHunk: (given?: unknown) => parts.diff.changeHunk("drop", findHunkLine(given)),
    restoreHunk: (given?: unknown) => parts.diff.changeHunk("restore", findHunkLine(given)),
    keepHunk: (given?: unknown) => parts.diff.changeHunk("keep", findHunkLine(given)),
  };
}

/** The palette actions of the card's buttons. */
function createCardActions(
  parts: DecideDependencies,
): Readonly<Record<CardAction, (given?: unknown) => Promise<void>>> {
  const actions = CARD_BUTTON_NAMES.flatMap((button) => {
    const { palette } = getCardButtonRow(button);
    return palette ? [[palette.action, (given?: unknown) => runCardButton(parts, button, given)] as const] : [];
  });
  // The type's names are those of the rows.
  return Object.fromEntries(actions) as ReturnType<typeof createCardActions>;
}

async function runCardButton(parts: DecideDependencies, button: CardButton, given?: unknown): Promise<void> {
  const { form, needs, palette } = getCardButtonRow(button);
  const { waits } = parts;
  const named = parseNamedProposal(given);
  const pending = named
    ? findNamedProposal(parts, named)
    : palette?.hasKey
      ? waits.findProposalForKey()
      : waits.findCurrent();
  if (!pending || (needs === "seen" && !(await isSeen(parts, pending)))) return;
  const input = await askFor(form, pending);
  if (isObject(given) && given.keepFocus === true) parts.diff.keepFocus(pending.hosted.id, pending.request.step);
  if (input) await CARD_HANDLERS[button](parts, pending, input);
}

/** Finds the proposal for which a chat button was created. If it's no longer pending, the button only reports that. */
function findNamedProposal({ waits, runs }: DecideDependencies, named: NamedProposal): PendingProposal | undefined {
  const { runId, step, hash } = named;
  const hosted = runs.get(runId);
  const pending = hosted && waits.find(hosted, step, hash);
  if (!pending) void vscode.window.showInformationMessage(t("review.alreadyDecided"));
  if (!pending || waits.isNew(pending.request)) return undefined;
  if (renderWholeProposal(pending.request) !== undefined) waits.markSeen(pending, "chat");
  return pending;
}

/** Asks for a button's input; undefined when the user cancels. */
async function askFor(form: CardButtonRow["form"], pending: PendingProposal): Promise<CardInput | undefined> {
  switch (form) {
    case undefined:
      return {};
    case "count":
      return askForCount();
    case "reason":
      return askForReason(pending);
    case "arguments":
      return fail("actions.decide.editInPanel");
    default:
      return assertNever(form);
  }
}

async function askForCount(): Promise<CardInput | undefined> {
  const answer = await vscode.window.showInputBox({
    title: t("actions.decide.nextTitle"),
    prompt: t("actions.decide.nextPrompt"),
    value: "3",
    validateInput: (text) => (/^[1-9]\d{0,2}$/.test(text.trim()) ? undefined : t("actions.decide.noCount")),
  });
  return answer === undefined ? undefined : { count: Number(answer.trim()) };
}

async function askForReason({ request }: PendingProposal): Promise<CardInput | undefined> {
  const feedback = await vscode.window.showInputBox({
    title: t("actions.decide.rejectTitle", { command: formatDisplayLine(request.proposal.call.name) }),
    prompt: t("actions.decide.rejectPrompt"),
  });
  return feedback === undefined ? undefined : { feedback };
}

/** True if the user has seen the whole proposal. Otherwise shows it, so they can look first. */
async function isSeen(parts: DecideDependencies, waiting: PendingProposal): Promise<boolean> {
  const { waits } = parts;
  const { request } = waiting;
  if (waits.isSeen(request)) return true;
  await showWhole(parts, waiting, true);
  waits.markShownByKey(request);
  void vscode.window.showInformationMessage(t("actions.decide.unseen", { step: request.step }));
  return false;
}

async function giveFeedback({ waits, runs }: DecideDependencies, run: unknown): Promise<void> {
  const hosted = findRunByArgument(runs, run) ?? waits.findCurrent()?.hosted ?? runs.shown ?? runs.all.at(-1);
  if (!hosted?.live) fail("actions.decide.noneRunning");
  const prompt = explainMessageUse(hosted.live.pending);
  const text = await vscode.window.showInputBox({ title: t("actions.decide.tellTitle"), prompt });
  if (text?.trim()) await hosted.live.say(text.trim());
}

function explainMessageUse(waiting: NonNullable<HostedRun["live"]>["pending"]): string {
  if (waiting?.kind === "proposal") return t("actions.decide.tellRejects");
  if (waiting?.kind === "question")
    return t("actions.decide.tellAnswers", { question: formatDisplayLine(waiting.text) });
  return t("actions.decide.tellNext");
}
