import type { RunEnd } from "../core/outcome.ts";
import { phase } from "../core/run-state.ts";
import type { RunView } from "./run-view.ts";

/** What a run is doing, for people. */
export interface Doing {
  readonly kind: "busy" | "asks" | "hindered" | "paused" | "done" | "ended";
  readonly text: string;
}

/** What the run is doing just now, as far as the panel knows. */
export function doing(view: RunView): Doing {
  const { state, card, question } = view;
  if (view.facts.at) return { kind: "paused", text: "Stepping through" };
  if (state.end)
    return { kind: state.end.reason === "finished" ? "done" : "ended", text: ENDED[state.end.reason] };
  if (view.hindrance !== undefined) return { kind: "hindered", text: "Waiting for its disk" };
  if (card) return { kind: "asks", text: "Waiting for your decision" };
  if (question !== undefined) return { kind: "asks", text: "Waiting for your answer" };
  if (state.paused !== undefined) return { kind: "paused", text: "Paused" };
  if (view.facts.readOnly || !view.running) return { kind: "paused", text: "Interrupted" };
  return { kind: "busy", text: busyText(view) };
}

function busyText({ state }: RunView): string {
  const { open } = state;
  const running = `Running ${open?.reply?.kind === "proposal" ? open.reply.call.name : "a command"}`;
  switch (phase(state)) {
    case "acting":
      return running;
    case "waiting":
      return "Checking the proposal";
    default:
      if (open?.decided?.allow) return running;
      return open?.stage === "asked" ? "Thinking" : "Preparing the next step";
  }
}

const ENDED: Readonly<Record<RunEnd["reason"], string>> = {
  finished: "Finished",
  exhausted: "Budget spent",
  stuck: "Stuck",
  failed: "Failed",
  stopped: "Stopped",
  crashed: "Crashed",
};

/** True while the run works or waits, so that it can be stopped. */
export function canStop(view: RunView): boolean {
  return view.running && !view.facts.readOnly && view.state.end === undefined;
}

/** True when nobody works on the run and somebody could. */
export function canContinue(view: RunView): boolean {
  if (view.facts.readOnly || view.state.end?.reason === "finished") return false;
  return !view.running || view.state.paused !== undefined || view.state.end !== undefined;
}
