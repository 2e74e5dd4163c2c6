import { assertNever } from "../../core/base/errors.ts";
import { counted } from "../../core/base/text.ts";
import { countedSteps, countedTokens, type Limits, type Totals } from "../../core/budget/budget.ts";
import type { LimitName, RunEnd } from "../../core/commands/outcome.ts";
import { phase, type RunState } from "../../core/events/run-state.ts";
import type { PanelAction } from "../../schema/panel-values.ts";
import { minutes, tokenCount, usd } from "../ui/format.ts";
import type { RunView } from "./run-view.ts";

/** Current activity of a run, for people. */
export interface RunActivity {
  readonly kind: "busy" | "asks" | "hindered" | "paused" | "done" | "ended";
  readonly text: string;
}

/** The current activity of the run, as far as the panel knows. */
export function runActivity(view: RunView): RunActivity {
  const { state, card, question } = view;
  if (view.facts.at) return { kind: "paused", text: "Stepping through" };
  if (state.end)
    return { kind: state.end.reason === "finished" ? "done" : "ended", text: END_NAMES[state.end.reason] };
  if (view.blockedReason !== undefined) return { kind: "hindered", text: "Waiting for its disk" };
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

const END_NAMES: Readonly<Record<RunEnd["reason"], string>> = {
  finished: "Finished",
  exhausted: "Budget spent",
  stuck: "Stuck",
  failed: "Failed",
  stopped: "Stopped",
  crashed: "Crashed",
};

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

/** One kind of spending against its limit. */
export interface Meter {
  readonly name: string;
  /** The amount spent, and the limit. */
  readonly text: string;
  /** The short form: the amount spent, with the limit only when it is nearly reached. */
  readonly brief: string;
  /** The same in words. */
  readonly label: string;
  /** 0 to 1; absent when there is no limit. */
  readonly share?: number;
  /** The limit is nearly reached. */
  readonly low: boolean;
}

const LOW_SHARE = 0.9;
const MS_PER_MINUTE = 60_000;

/** The spending of a run, one meter per limit. Replies are shown only once few of them are left. */
export function meters(totals: Totals, limits: Limits): readonly Meter[] {
  const replies = meter(
    "Replies",
    String(totals.replies),
    totals.replies,
    limits.replies,
    String,
    totals.replies === 1 ? " reply" : " replies",
  );
  return [
    moneyMeter(totals, limits),
    tokenMeter(totals, limits.tokens),
    stepMeter(totals, limits.steps),
    ...(replies.low ? [replies] : []),
    meter(
      "Time",
      minutes(totals.activeMs),
      totals.activeMs / MS_PER_MINUTE,
      limits.minutes,
      (limit) => `${limit} min`,
    ),
  ];
}

/** Only steps whose call ran count. */
function stepMeter(totals: Totals, limit: number): Meter {
  const steps = countedSteps(totals);
  const plain = meter("Steps", String(steps), steps, limit, String, steps === 1 ? " step" : " steps");
  if (totals.missed === 0) return plain;
  return { ...plain, label: `${plain.label}, and ${totals.missed} more in which no command ran` };
}

/** How full the model's window is; undefined before the first prompt or if the window isn't known. */
export function contextMeter({
  promptTokens,
  model: { contextWindow },
}: Pick<RunState, "promptTokens" | "model">): Meter | undefined {
  if (promptTokens === undefined || contextWindow <= 0) return undefined;
  const share = Math.min(1, promptTokens / contextWindow);
  const percent = `${Math.round(100 * share)}%`;
  const tokens = `${tokenCount(promptTokens)} of ${tokenCount(contextWindow)} tokens`;
  return {
    name: "Context",
    text: percent,
    brief: `Context ${percent}`,
    label: `Context: ${percent} of the model's window (${tokens}). Older steps are summarized before it is full.`,
    share,
    low: false,
  };
}

/** Without a known price, the limit on tokens takes the place of the limit on money. */
function moneyMeter(totals: Totals, limits: Limits): Meter {
  const plain = meter("Money", spentMoney(totals), totals.usd, limits.usd, roundUsd);
  if (!isPriceUnknown(totals)) return plain;
  const limit =
    limits.tokens > 0 ? `the limit is ${tokenCount(limits.tokens)} tokens` : "the cost has no limit";
  const text = spentMoney(totals);
  return { name: "Money", text, brief: text, label: `Price unknown: ${limit}`, low: false };
}

/** Shows all tokens, but measures those that count against the limit. */
function tokenMeter(totals: Totals, limit: number): Meter {
  const spent = tokenCount(totals.input + totals.output);
  const counted = countedTokens(totals);
  const bare = meter("Tokens", spent, counted, limit, tokenCount, " tokens");
  const plain =
    isPriceUnknown(totals) && limit > 0
      ? { ...bare, brief: `${spent} of ${tokenCount(limit)} tokens` }
      : bare;
  if (limit <= 0 || totals.discounted === 0) return plain;
  return {
    ...plain,
    text: spent,
    brief: isPriceUnknown(totals) ? plain.brief : `${spent} tokens`,
    label: `Tokens: ${spent}, of which ${tokenCount(counted)} count toward the limit of ${tokenCount(limit)} because cached input costs less`,
  };
}

function meter(
  name: string,
  spent: string,
  value: number,
  limit: number,
  write: (limit: number) => string,
  unit = "",
): Meter {
  if (limit <= 0)
    return { name, text: spent, brief: `${spent}${unit}`, label: `${name}: ${spent}`, low: false };
  const share = Math.min(1, value / limit);
  const low = share >= LOW_SHARE;
  const most = write(limit);
  return {
    name,
    share,
    low,
    text: `${spent} / ${most}`,
    brief: `${low ? `${spent} of ${most}` : spent}${unit}`,
    label: `${name}: ${spent} of ${most}`,
  };
}

/** Most limits are round sums. */
function roundUsd(dollars: number): string {
  return Number.isInteger(dollars) ? `$${dollars}` : usd(dollars);
}

function isPriceUnknown({ usd: spent, unpriced }: Totals): boolean {
  return unpriced > 0 && spent === 0;
}

/** Dollars include only calls with a known price. */
function spentMoney(totals: Totals): string {
  if (totals.unpriced === 0) return usd(totals.usd);
  return isPriceUnknown(totals) ? "price unknown" : `${usd(totals.usd)} or more`;
}
