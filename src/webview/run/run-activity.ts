import { assertNever } from "../../core/base/errors.ts";
import { counted } from "../../core/base/text.ts";
import { callTitle } from "../../core/commands/call-title.ts";
import type { LimitName } from "../../core/commands/outcome.ts";
import { phase, type RunState } from "../../core/events/run-state.ts";
import type { PanelAction } from "../../schema/panel-values.ts";
import { t } from "../../texts/language.ts";
import { tokenCount, usd } from "../ui/format.ts";
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
      if (mode === "plan") return { heading: "The plan", text: end.summary, actions: ["carryOut", "newRun"] };
      return { heading: "Finished", text: end.summary, actions: ["newRun"] };
    case "exhausted":
      return {
        heading: "The budget is spent",
        text: exhaustedText(end.limit, limits[end.limit]),
        actions:
          end.limit === "replies" ? ["raiseBudget", "selectModel", "newRun"] : ["raiseBudget", "newRun"],
      };
    case "stuck":
      return {
        heading: "The agent is stuck",
        text: end.why,
        actions: ["continue", "selectModel", "newRun"],
      };
    case "failed":
      return {
        heading: "The run failed",
        text: end.error,
        actions: ["continue", "selectModel", "setApiKey", "newRun"],
      };
    case "crashed":
      return {
        heading: "The run crashed",
        text: `${end.error.replace(/[^.!?]$/, "$&.")} This is a bug in AutoGPT. Nothing that was logged is lost, and you can continue.`,
        actions: ["continue", "showLog", "newRun"],
      };
    default:
      return {
        heading: "Stopped",
        text: "You can continue the run from here.",
        actions: ["continue", "newRun"],
      };
  }
}

function exhaustedText(name: LimitName, limit: number): string {
  const reached = `The run reached its limit of ${LIMIT_TEXT[name](limit)}`;
  switch (name) {
    case "usd":
    case "tokens":
      return `${reached}, or its next call could exceed it. Raise it to continue the run.`;
    case "replies":
      return `${reached}; unreadable replies and refused calls count, too. Raise it to continue the run, or choose another model if many replies couldn't be used.`;
    case "steps":
    case "minutes":
      return `${reached}. Raise it to continue the run.`;
    default:
      return assertNever(name);
  }
}

const LIMIT_TEXT: Readonly<Record<LimitName, (limit: number) => string>> = {
  usd,
  tokens: (limit) => `${tokenCount(limit)} tokens`,
  steps: (limit) => counted(limit, "step"),
  replies: (limit) => counted(limit, "reply", "replies"),
  minutes: (limit) => counted(limit, "minute"),
};
