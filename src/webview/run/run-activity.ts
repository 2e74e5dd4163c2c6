import { createCallTitle } from "../../core/commands/call-title.ts";
import { getRunPhase } from "../../core/events/run-state.ts";
import { t } from "../../texts/language.ts";
import type { RunView } from "./run-view.ts";

/** Current activity of a run, for people. */
export interface RunActivity {
  readonly kind: "busy" | "asks" | "hindered" | "paused" | "walked" | "done" | "ended";
  readonly text: string;
}

/** The current activity of the run, as far as the panel knows. */
export function getRunActivity(view: RunView): RunActivity {
  const { state, card, question } = view;
  if (view.facts.at) return { kind: "walked", text: t("header.state.stepping") };
  if (state.end)
    return {
      kind: state.end.reason === "finished" ? "done" : "ended",
      text: t(`header.state.${state.end.reason}`),
    };
  if (view.facts.elsewhere) return { kind: "busy", text: t("header.state.elsewhere") };
  if (view.blockedReason !== undefined) return { kind: "hindered", text: t("header.state.disk") };
  if (card) return { kind: "asks", text: t("header.state.waitingForDecision") };
  if (question !== undefined) return { kind: "asks", text: t("header.state.waitingForAnswer") };
  if (state.paused !== undefined) return { kind: "paused", text: t("header.state.paused") };
  if (view.facts.readOnly || !view.running) return { kind: "paused", text: t("header.state.interrupted") };
  return { kind: "busy", text: formatBusyState(view) };
}

function formatBusyState({ state }: RunView): string {
  const { open } = state;
  const running =
    open?.reply?.kind === "proposal"
      ? t("header.state.running", { action: createCallTitle(open.reply.call).before })
      : t("header.state.runningCommand");
  switch (getRunPhase(state)) {
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
