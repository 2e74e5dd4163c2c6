import { createCallTitle, describeChangeFigures } from "../../core/commands/call-title.ts";
import { explainHowToSeeAll } from "../../core/commands/preview.ts";
import { describeRunEnd, pauseReason } from "../../core/events/end-text.ts";
import { getRunPhase, type StepView } from "../../core/events/run-state.ts";
import { createStepLine } from "../../core/events/step-line.ts";
import type { Card } from "../../schema/panel-values.ts";
import { t, write } from "../../texts/language.ts";
import { renderCardQuestion } from "../approval/card-question.ts";
import { isWaitingForSight } from "../approval/card-text-view.ts";
import { canApprove, type WaitingCard } from "../approval/waiting-card.ts";
import { getRunActivity } from "../run/run-activity.ts";
import type { RunView } from "../run/run-view.ts";
import { isPastLook } from "../run/step-window.ts";
import { extractSpokenText } from "../ui/markdown.ts";
import type { PanelState } from "./panel-state.ts";

/** The text that a screen reader announces after a change of state; undefined when the change is no reason to interrupt. */
export function findAnnouncement(before: PanelState, after: PanelState): string | undefined {
  if (after.notice && after.notice !== before.notice) {
    const text = write(after.notice.text);
    return hasOnlyNewNumbers(text, before.notice && write(before.notice.text)) ? undefined : text;
  }
  const warning = after.warnings.at(-1);
  if (warning !== undefined && warning !== before.warnings.at(-1) && after.warnings.length >= before.warnings.length)
    return write(warning);
  if (after.form && !before.form) return t("header.say.profileReady");
  if (before.models?.looking && !after.models?.looking) return t("models.checked");
  if (!after.run || after.run === before.run) return undefined;
  const same = before.run?.state.id === after.run.state.id ? before.run : undefined;
  const isBusy = getRunActivity(after.run).kind === "busy";
  return (
    findRunAnnouncement(same, after.run) ?? (before.starting && !same && isBusy ? formatRunState(after.run) : undefined)
  );
}

/** True if only numbers differ, as when a wait is reported again. That's no news. */
function hasOnlyNewNumbers(text: string, before = ""): boolean {
  return text.replace(/\d+/g, "") === before.replace(/\d+/g, "");
}

function findRunAnnouncement(before: RunView | undefined, after: RunView): string | undefined {
  const { card, question, state, blockedReason } = after;
  const blocked = blockedReason && write(blockedReason);
  if (blocked && blocked !== write(before?.blockedReason ?? "")) return blocked;
  if (card && card.card.hash !== before?.card?.card.hash)
    return t("header.say.approval", {
      step: card.card.step,
      action: describeProposedAction(card.card, after),
    });
  const news = card && before?.card && (describeEdit(card, before.card) ?? describeReadiness(card, before.card));
  if (news !== undefined) return news;
  if (question !== undefined && question !== before?.question)
    return t("header.say.question", { question: extractSpokenText(question) });
  if (state.end && !before?.state.end) {
    const { heading, text } = describeRunEnd(state);
    return t("header.say.end", { heading, text: extractSpokenText(text) });
  }
  if (state.paused !== undefined && before?.state.paused === undefined)
    return t("header.say.paused", { reason: pauseReason(state.paused, state) });
  const ended = before && findEndedStep(before, after);
  if (ended) return describeStep(ended);
  const now = getRunActivity(after);
  const { decided } = state.open ?? {};
  if (decided?.by === "user" && before && !before.state.open?.decided)
    return decided.allow ? formatRunState(after) : t("header.say.rejected");
  if (getRunPhase(state) === "waiting") return undefined;
  if (now.kind === "busy" && before !== undefined && getRunActivity(before).kind !== "busy")
    return formatRunState(after);
  return undefined;
}

function formatRunState(view: RunView): string {
  return t("header.say.state", { state: getRunActivity(view).text });
}

/** The effect of the user's edit in the diff on the displayed proposal. */
function describeEdit({ card }: WaitingCard, { card: before }: WaitingCard): string | undefined {
  const { figures } = card;
  const isNews = card.hash === before.hash && JSON.stringify(figures) !== JSON.stringify(before.figures);
  return figures && isNews ? write(describeChangeFigures(figures, before.figures)) : undefined;
}

/** The reason why a proposal can't be approved yet, or the news that it can. */
function describeReadiness(card: WaitingCard, before: WaitingCard): string | undefined {
  if (isWaitingForSight(card) && !isWaitingForSight(before)) return write(explainHowToSeeAll(card.card.preview));
  return canApprove(card) && isWaitingForSight(before) ? t("header.say.canApprove") : undefined;
}

/**
 * The step that just ended, unless it only read something. The end of the run and the user's own rejection have their own announcements.
 */
function findEndedStep(before: RunView, { window }: RunView): StepView | undefined {
  const last = window.steps.at(-1);
  const isNew = last !== undefined && last.step === before.state.open?.step;
  if (!isNew || isPastLook(last) || last.outcome?.status === "finished") return undefined;
  return last.outcome?.status === "refused" && last.decided?.by === "user" ? undefined : last;
}

/** A step that ended, with its outcome. */
function describeStep(step: StepView): string {
  const { title, summary, word } = createStepLine(step, false);
  const result = stripEndMark(write(summary ?? word));
  return t("header.say.step", { step: step.step, title: stripEndMark(write(title)), result });
}

/** Removes the punctuation at the end of others' text, which becomes its own sentence. */
function stripEndMark(text: string): string {
  return text.replace(/[.?!。？！]+$/u, "");
}

/** The pending call for display: a change as its question, any other call as its effect. */
function describeProposedAction(card: Card, { state: { open } }: RunView): string {
  if (card.file !== undefined) return renderCardQuestion(card, (value) => value).join("");
  const proposed = open?.reply?.kind === "proposal" ? open.reply.call.args : {};
  return write(createCallTitle({ name: card.command, args: card.args ?? proposed }).before);
}

/** Reads texts aloud with the browser's own voice. */
export interface Voice {
  say(text: string): void;
  stopSpeaking(): void;
}

export function createBrowserVoice(synthesis: SpeechSynthesis | undefined): Voice {
  return {
    say: (text) => synthesis?.speak(new SpeechSynthesisUtterance(text)),
    stopSpeaking: () => synthesis?.cancel(),
  };
}

/** Reads news aloud: the sentence from the agent's reply, and that a decision or an answer is needed. */
export function speakChange(before: PanelState, after: PanelState, voice: Voice): void {
  const { run } = after;
  if (!run?.facts.speech || before.run?.state.id !== run.state.id) return;
  if (run.state.end && !before.run.state.end) voice.stopSpeaking();
  for (const text of listNewWords(before.run, run)) voice.say(text);
}

function listNewWords(before: RunView, after: RunView): readonly string[] {
  const reply = after.state.open?.reply;
  const isNew = reply !== undefined && reply !== before.state.open?.reply;
  const asks = after.question !== undefined && after.question !== before.question;
  const waits = after.card !== undefined && after.card.card.hash !== before.card?.card.hash;
  return [
    ...(isNew && reply.kind === "proposal" && reply.thoughts.speak !== ""
      ? [extractSpokenText(reply.thoughts.speak)]
      : []),
    ...(waits ? [t("header.say.decide")] : []),
    ...(asks ? [t("header.say.answer")] : []),
  ];
}
