import type { PanelAction } from "../../schema/panel-values.ts";
import type { SpentBudget } from "../../schema/run-values.ts";
import { type DisplayText, displayText, restoreSentence, type Sentence } from "../../texts/display-text.ts";
import { formatTokenCount, formatUsd, t, write } from "../../texts/language.ts";
import { PAUSED_BY_USER } from "../base/async.ts";
import { assertNever } from "../base/errors.ts";
import type { LimitName } from "../commands/outcome.ts";
import type { RunState } from "./run-state.ts";

/** Explains to people why a run is paused. */
export function pauseReason(paused: string, { pausedText }: Pick<RunState, "pausedText">): Sentence {
  return paused === PAUSED_BY_USER ? displayText("approval.pausedByUser") : restoreSentence(paused, pausedText);
}

/** Texts and buttons for the end of a run. */
export interface EndText {
  readonly heading: string;
  readonly text: string;
  /** Actions that help now, the best first. */
  readonly actions: readonly PanelAction[];
}

/** Explains why a run is over, with the possible next actions. */
export function describeRunEnd({ end, limits, mode }: Pick<RunState, "end" | "limits" | "mode">): EndText {
  switch (end?.reason) {
    case "finished":
      if (mode === "plan")
        return { heading: t("approval.planEnd"), text: end.summary, actions: ["carryOut", "newRun"] };
      return { heading: t("approval.finished"), text: end.summary, actions: ["newRun"] };
    case "exhausted":
      if (end.budget)
        return {
          heading: t("approval.exhausted"),
          text: write(describeSpentBudget(end.budget)),
          actions: ["raiseBudget", "continue", "showCosts", "newRun"],
        };
      return {
        heading: t("approval.exhausted"),
        text: describeExhaustedLimit(end.limit, limits[end.limit]),
        actions: end.limit === "replies" ? ["raiseBudget", "selectModel", "newRun"] : ["raiseBudget", "newRun"],
      };
    case "stuck":
      return {
        heading: t(end.text?.code === "approval.allRefused" ? "approval.nothingDone" : "approval.stuck"),
        text: write(restoreSentence(end.why, end.text)),
        actions: ["continue", "selectModel", "newRun"],
      };
    case "failed":
      return {
        heading: t("approval.failed"),
        text: write(restoreSentence(end.error, end.text)),
        actions: ["continue", "selectModel", "setApiKey", "newRun"],
      };
    case "crashed":
      return {
        heading: t("approval.crashed"),
        text: t("approval.crashedText", {
          error: end.text ? restoreSentence(end.error, end.text) : end.error.replace(/[^.!?]$/, "$&."),
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

/** Says which budget over all folders is spent, and what helps. */
export function describeSpentBudget({ per, usd }: SpentBudget): DisplayText {
  return displayText(per === "day" ? "approval.spentToday" : "approval.spentThisMonth", { budget: formatUsd(usd) });
}

function describeExhaustedLimit(name: LimitName, limit: number): string {
  switch (name) {
    case "usd":
      return t("approval.exhaustedUsd", { limit: formatUsd(limit) });
    case "tokens":
      return t("approval.exhaustedTokens", { limit: formatTokenCount(limit) });
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
