import { PAUSED_BY_USER } from "../../core/base/async.ts";
import { assertNever } from "../../core/base/errors.ts";
import { callTitle } from "../../core/commands/call-title.ts";
import type { LimitName } from "../../core/commands/outcome.ts";
import { phase, type RunState } from "../../core/events/run-state.ts";
import type { PanelAction } from "../../schema/panel-values.ts";
import { displayText, type Sentence, sentenceOf } from "../../texts/display-text.ts";
import { t, usdText, write } from "../../texts/language.ts";
import { tokenCount } from "../ui/format.ts";
import type { RunView } from "./run-view.ts";

/** Current activity of a run, for people. */
export interface RunActivity {
  readonly kind: "busy" | "asks" | "hindered" | "paused" | "done" | "ended";
  readonly text: string;
}

/** The current activity of the run, as far as the panel knows. */
export function runActivity(view: RunView): RunActivity {
  const { state, card, question } = view;
  if (view.facts.at) return { kind: "paused", text: t("header.state.stepping") };
  if (state.end)
    return {
      kind: state.end.reason === "finished" ? "done" : "ended",
      text: t(`header.state.${state.end.reason}`),
    };
  if (view.blockedReason !== undefined) return { kind: "hindered", text: t("header.state.disk") };
  if (card) return { kind: "asks", text: t("header.state.waitingForDecision") };
  if (question !== undefined) return { kind: "asks", text: t("header.state.waitingForAnswer") };
  if (state.paused !== undefined) return { kind: "paused", text: t("header.state.paused") };
  if (view.facts.readOnly || !view.running) return { kind: "paused", text: t("header.state.interrupted") };
  return { kind: "busy", text: busyText(view) };
}

function busyText({ state }: RunView): string {
  const { open } = state;
  const running =
    open?.reply?.kind === "proposal"
      ? t("header.state.running", { action: callTitle(open.reply.call).before })
      : t("header.state.runningCommand");
  switch (phase(state)) {
    case "acting":
      return running;
    case "waiting":
      return t("header.state.checking");
    default:
      if (open?.decided?.allow) return running;
      return open?.stage === "asked" ? t("header.state.thinking") : t("header.state.preparing");
  }
}

/** Why a paused run is paused, for people. */
export function pauseReason(paused: string, { pausedText }: Pick<RunState, "pausedText">): Sentence {
  return paused === PAUSED_BY_USER ? displayText("approval.pausedByUser") : sentenceOf(paused, pausedText);
}

/** True while the run works or waits, and can be stopped. */
export function canStop(view: RunView): boolean {
  return view.running && !view.facts.readOnly && view.state.end === undefined;
}

/** True when the run is idle and can be continued. */
export function canContinue(view: RunView): boolean {
  if (view.facts.readOnly || view.state.end?.reason === "finished") return false;
  return !view.running || view.state.paused !== undefined || view.state.end !== undefined;
}

/** Texts and buttons for the end of a run. */
export interface EndText {
  readonly heading: string;
  readonly text: string;
  /** Actions that help now, the best first. */
  readonly actions: readonly PanelAction[];
}

/** Explains why a run is over, with the possible next actions. */
export function endText({ end, limits, mode }: Pick<RunState, "end" | "limits" | "mode">): EndText {
  switch (end?.reason) {
    case "finished":
      if (mode === "plan")
        return { heading: t("approval.planEnd"), text: end.summary, actions: ["carryOut", "newRun"] };
      return { heading: t("approval.finished"), text: end.summary, actions: ["newRun"] };
    case "exhausted":
      return {
        heading: t("approval.exhausted"),
        text: exhaustedText(end.limit, limits[end.limit]),
        actions:
          end.limit === "replies" ? ["raiseBudget", "selectModel", "newRun"] : ["raiseBudget", "newRun"],
      };
    case "stuck":
      return {
        heading: t("approval.stuck"),
        text: write(sentenceOf(end.why, end.text)),
        actions: ["continue", "selectModel", "newRun"],
      };
    case "failed":
      return {
        heading: t("approval.failed"),
        text: write(sentenceOf(end.error, end.text)),
        actions: ["continue", "selectModel", "setApiKey", "newRun"],
      };
    case "crashed":
      return {
        heading: t("approval.crashed"),
        text: t("approval.crashedText", {
          error: end.text ? sentenceOf(end.error, end.text) : end.error.replace(/[^.!?]$/, "$&."),
        }),
        actions: ["continue", "showLog", "newRun"],
      };
    default:
      return {
        heading: t("approval.stopped"),
        text: t("approval.stoppedText"),
        actions: ["continue", "newRun"],
      };
  }
}

function exhaustedText(name: LimitName, limit: number): string {
  switch (name) {
    case "usd":
      return t("approval.exhaustedUsd", { limit: usdText(limit) });
    case "tokens":
      return t("approval.exhaustedTokens", { limit: tokenCount(limit) });
    case "replies":
      return t("approval.exhaustedReplies", { limit });
    case "steps":
      return t("approval.exhaustedSteps", { limit });
    case "minutes":
      return t("approval.exhaustedMinutes", { limit });
    default:
      return assertNever(name);
  }
}
