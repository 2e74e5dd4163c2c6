import { callTitle } from "../../core/commands/call-title.ts";
import { figuresText } from "../../core/commands/figures-text.ts";
import { approvalHint } from "../../core/commands/preview.ts";
import { endText, pauseReason } from "../../core/events/end-text.ts";
import { phase, type StepView } from "../../core/events/run-state.ts";
import { stepLine } from "../../core/events/step-line.ts";
import type { Card } from "../../schema/panel-values.ts";
import { t, write } from "../../texts/language.ts";
import { cardQuestion } from "../approval/card-question.ts";
import { waitsForSight } from "../approval/card-text-view.ts";
import { canApprove, type WaitingCard } from "../approval/waiting-card.ts";
import { runActivity } from "../run/run-activity.ts";
import type { RunView } from "../run/run-view.ts";
import { isPastLook } from "../run/step-window.ts";
import { spokenText } from "../ui/markdown.ts";
import type { PanelState } from "./panel-state.ts";

/** The text that a screen reader announces after a change of state; undefined when the change is no reason to interrupt. */
export function announcement(before: PanelState, after: PanelState): string | undefined {
  if (after.notice && after.notice !== before.notice) {
    const text = write(after.notice.text);
    return sameButNumbers(text, before.notice && write(before.notice.text)) ? undefined : text;
  }
  const warning = after.warnings.at(-1);
  if (
    warning !== undefined &&
    warning !== before.warnings.at(-1) &&
    after.warnings.length >= before.warnings.length
  )
    return write(warning);
  if (after.form && !before.form) return t("header.say.profileReady");
  if (before.models?.looking && !after.models?.looking) return t("models.checked");
  if (!after.run || after.run === before.run) return undefined;
  const same = before.run?.state.id === after.run.state.id ? before.run : undefined;
  const isBusy = runActivity(after.run).kind === "busy";
  return aboutRun(same, after.run) ?? (before.starting && !same && isBusy ? stateText(after.run) : undefined);
}

/** A wait that is reported again with other numbers is no news. */
function sameButNumbers(text: string, before = ""): boolean {
  return text.replace(/\d+/g, "") === before.replace(/\d+/g, "");
}

function aboutRun(before: RunView | undefined, after: RunView): string | undefined {
  const { card, question, state, blockedReason } = after;
  const blocked = blockedReason && write(blockedReason);
  if (blocked && blocked !== write(before?.blockedReason ?? "")) return blocked;
  if (card && card.card.hash !== before?.card?.card.hash)
    return t("header.say.approval", { step: card.card.step, action: proposedAction(card.card, after) });
  const news = card && before?.card && (editedText(card, before.card) ?? readinessText(card, before.card));
  if (news !== undefined) return news;
  if (question !== undefined && question !== before?.question)
    return t("header.say.question", { question: spokenText(question) });
  if (state.end && !before?.state.end) {
    const { heading, text } = endText(state);
    return t("header.say.end", { heading, text: spokenText(text) });
  }
  if (state.paused !== undefined && before?.state.paused === undefined)
    return t("header.say.paused", { reason: pauseReason(state.paused, state) });
  const ended = before && endedStep(before, after);
  if (ended) return stepText(ended);
  const now = runActivity(after);
  const { decided } = state.open ?? {};
  if (decided?.by === "user" && before && !before.state.open?.decided)
    return decided.allow ? stateText(after) : t("header.say.rejected");
  if (phase(state) === "waiting") return undefined;
  if (now.kind === "busy" && before !== undefined && runActivity(before).kind !== "busy")
    return stateText(after);
  return undefined;
}

function stateText(view: RunView): string {
  return t("header.say.state", { state: runActivity(view).text });
}

/** The effect of the user's edit in the diff on the displayed proposal. */
function editedText({ card }: WaitingCard, { card: before }: WaitingCard): string | undefined {
  const { figures } = card;
  const isNews = card.hash === before.hash && JSON.stringify(figures) !== JSON.stringify(before.figures);
  return figures && isNews ? write(figuresText(figures, before.figures)) : undefined;
}

/** The reason why a proposal can't be approved yet, or the news that it can. */
function readinessText(card: WaitingCard, before: WaitingCard): string | undefined {
  if (waitsForSight(card) && !waitsForSight(before)) return write(approvalHint(card.card.preview));
  return canApprove(card) && waitsForSight(before) ? t("header.say.canApprove") : undefined;
}

/**
 * The step that has just ended, unless it only looked. The end of the run and the user's own rejection are announced by
 * themselves.
 */
function endedStep(before: RunView, { window }: RunView): StepView | undefined {
  const last = window.steps.at(-1);
  const isNew = last !== undefined && last.step === before.state.open?.step;
  if (!isNew || isPastLook(last) || last.outcome?.status === "finished") return undefined;
  return last.outcome?.status === "refused" && last.decided?.by === "user" ? undefined : last;
}

/** A step that ended, with its outcome. */
function stepText(step: StepView): string {
  const { title, summary, word } = stepLine(step, false);
  const result = unended(write(summary ?? word));
  return t("header.say.step", { step: step.step, title: unended(write(title)), result });
}

/** A text of others without the mark at its end, since it becomes a sentence of its own. */
function unended(text: string): string {
  return text.replace(/[.?!。？！]+$/u, "");
}

/** The pending call as people read it: a change as its question, anything else by what it would do. */
function proposedAction(card: Card, { state: { open } }: RunView): string {
  if (card.file !== undefined) return cardQuestion(card, (value) => value).join("");
  const proposed = open?.reply?.kind === "proposal" ? open.reply.call.args : {};
  return write(callTitle({ name: card.command, args: card.args ?? proposed }).before);
}

/** Reads texts aloud with the browser's own voice. */
export interface Voice {
  say(text: string): void;
  silence(): void;
}

export function browserVoice(synthesis: SpeechSynthesis | undefined): Voice {
  return {
    say: (text) => synthesis?.speak(new SpeechSynthesisUtterance(text)),
    silence: () => synthesis?.cancel(),
  };
}

/** Reads news aloud: the agent's own sentence of a reply, and that a decision or an answer is needed. */
export function speakChange(before: PanelState, after: PanelState, voice: Voice): void {
  const { run } = after;
  if (!run?.facts.speech || before.run?.state.id !== run.state.id) return;
  if (run.state.end && !before.run.state.end) voice.silence();
  for (const text of newWords(before.run, run)) voice.say(text);
}

function newWords(before: RunView, after: RunView): readonly string[] {
  const reply = after.state.open?.reply;
  const isNew = reply !== undefined && reply !== before.state.open?.reply;
  const asks = after.question !== undefined && after.question !== before.question;
  const waits = after.card !== undefined && after.card.card.hash !== before.card?.card.hash;
  return [
    ...(isNew && reply.kind === "proposal" && reply.thoughts.speak !== ""
      ? [spokenText(reply.thoughts.speak)]
      : []),
    ...(waits ? [t("header.say.decide")] : []),
    ...(asks ? [t("header.say.answer")] : []),
  ];
}
