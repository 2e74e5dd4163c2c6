import type { LimitName } from "../core/outcome.ts";
import type { RunState } from "../core/run-state.ts";
import type { PanelAction } from "../protocol.ts";
import { counted, tokens, usd } from "./format.ts";

/** How a run's end is told. */
export interface EndText {
  readonly heading: string;
  readonly text: string;
  /** What helps now, the best first. */
  readonly actions: readonly PanelAction[];
}

/** Why a run is over and what can be done about it. */
export function endText({ end, limits, mode }: Pick<RunState, "end" | "limits" | "mode">): EndText {
  switch (end?.reason) {
    case "finished":
      if (mode === "plan") return { heading: "The plan", text: end.summary, actions: ["carryOut", "newRun"] };
      return { heading: "Finished", text: end.summary, actions: ["newRun"] };
    case "exhausted":
      return {
        heading: "The budget is spent",
        text: `The run's limit of ${LIMIT[end.limit](limits[end.limit])} is reached${end.limit === "usd" || end.limit === "tokens" ? ", or its next call could exceed it" : ""}. Raise it and the run goes on where it is.`,
        actions: ["raiseBudget", "newRun"],
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
        text: `${end.error.replace(/[^.!?]$/, "$&.")} This is a fault of AutoGPT itself. Nothing that was logged is lost, and you can continue.`,
        actions: ["continue", "showLog", "newRun"],
      };
    default:
      return {
        heading: "Stopped",
        text: "The run can be continued from here.",
        actions: ["continue", "newRun"],
      };
  }
}

const LIMIT: Readonly<Record<LimitName, (limit: number) => string>> = {
  usd,
  tokens: (limit) => `${tokens(limit)} tokens`,
  steps: (limit) => counted(limit, "step"),
  minutes: (limit) => counted(limit, "minute"),
};
