import { PAUSED_BY_USER } from "../core/base/async.ts";
import { phase, type RunState } from "../core/events/run-state.ts";
import type { LiveRun } from "../core/loop/live-run.ts";

/** An open run, as far as its status goes. */
export interface ObservedRun {
  readonly id: string;
  readonly run: { readonly state: RunState };
  readonly live?: Pick<LiveRun, "running" | "pending" | "blockedReason">;
}

/** True while a run can be stopped or paused. */
export function isRunning(hosted: ObservedRun | undefined): boolean {
  return hosted?.live?.running ?? false;
}

/** The state of a run that can't write its log. */
export const WAITS_FOR_DISK = "waiting for disk";

/** The activity of a run, for the status bar and the tree. */
export function activityOf(hosted: ObservedRun): string {
  const state = hosted.run.state;
  if (hosted.live?.blockedReason !== undefined) return WAITS_FOR_DISK;
  if (state.end) return plainState(state.end.reason);
  if (state.paused !== undefined) return "paused";
  if (!isRunning(hosted)) return plainState("open");
  if (hosted.live?.pending?.kind === "question") return "question";
  if (hosted.live?.pending) return "approval needed";
  return phase(state) === "acting" ? "acting" : "thinking";
}

/** A stored run state in words for people. */
export function plainState(state: string): string {
  if (state === "open") return "interrupted";
  return state === "exhausted" ? "out of budget" : state;
}

/** True for a run that can't go on without the user: a decision, an answer, or trouble to fix. */
function needsAttention(hosted: ObservedRun): boolean {
  const { pending: waiting, blockedReason: hindrance } = hosted.live ?? {};
  if (waiting !== undefined || hindrance !== undefined) return true;
  const { paused } = hosted.run.state;
  return isRunning(hosted) && paused !== undefined && paused !== PAUSED_BY_USER;
}

/** Summary of the open runs, for the status bar and the badge of the activity icon. */
export interface RunsStatus {
  /** The id of the run that a click opens. */
  readonly run: string;
  readonly icon: "warning" | "bell-dot" | "hubot";
  readonly text: string;
  readonly tooltip: string;
  /** How many runs need attention. */
  readonly waiting: number;
}

/** Status of all open runs; undefined when there is nothing to report. Several pending runs are counted instead of named. */
export function statusOf(
  all: readonly ObservedRun[],
  shown: ObservedRun | undefined,
): RunsStatus | undefined {
  const waiting = all.filter(needsAttention);
  const hindered = waiting.find(({ live }) => live?.blockedReason !== undefined);
  const unseen = waiting.length > 1 ? waiting.find((hosted) => hosted !== shown) : undefined;
  const run = hindered ?? unseen ?? waiting[0] ?? all.find(isRunning) ?? shown;
  if (!run) return undefined;
  return {
    run: run.id,
    icon: hindered ? "warning" : waiting.length > 0 ? "bell-dot" : "hubot",
    text:
      waiting.length > 1
        ? `${waiting.length} runs need attention`
        : `${activityOf(run)} · step ${stepOf(run)} · ${money(run)}`,
    tooltip: waiting.length > 1 ? waiting.map(summaryLine).join("\n") : tooltip(run),
    waiting: waiting.length,
  };
}

function summaryLine(hosted: ObservedRun): string {
  return `${hosted.run.state.task}: ${activityOf(hosted)}, step ${stepOf(hosted)}, ${money(hosted)}`;
}

function tooltip(hosted: ObservedRun): string {
  if (hosted.live?.blockedReason !== undefined) return hosted.live.blockedReason;
  return needsAttention(hosted)
    ? "The agent needs your attention. Click to open it."
    : "Click to open the agent panel.";
}

function stepOf({ run: { state } }: ObservedRun): number {
  return state.open?.step ?? state.totals.steps;
}

/** Dollars a run has spent; tokens where its price isn't known. */
function money(hosted: ObservedRun): string {
  const { totals } = hosted.run.state;
  if (totals.unpriced > 0 && totals.usd === 0) return `${totals.input + totals.output} tokens`;
  return `${totals.unpriced > 0 ? "at least " : ""}$${totals.usd.toFixed(totals.usd === 0 || totals.usd >= 0.1 ? 2 : 4)}`;
}
