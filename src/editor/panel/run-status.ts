import { PAUSED_BY_USER } from "../../core/base/async.ts";
import { cutText } from "../../core/base/text.ts";
import { getRunPhase, type RunState } from "../../core/events/run-state.ts";
import type { LiveRun } from "../../core/loop/live-run.ts";
import type { RunSummary } from "../../runs/store/run-summary.ts";
import type { OpenRun, RunActivityName } from "../../schema/panel-values.ts";
import type { Totals } from "../../schema/run-values.ts";
import { formatUsd, t, write } from "../../texts/language.ts";

/** The part of an open run that its status depends on. */
export interface ObservedRun {
  readonly id: string;
  /** The user's own name for it. */
  readonly title?: string;
  readonly run: { readonly state: RunState };
  /** Set while another process works on it. */
  readonly holder?: unknown;
  readonly live?: Pick<LiveRun, "running" | "pending" | "blockedReason">;
}

/** True while a run can be stopped or paused. */
export function isRunning(hosted: ObservedRun | undefined): boolean {
  return hosted?.live?.running ?? false;
}

/** The activity of a run, for the status bar, the tree and the panel's switcher. */
export function getActivity(hosted: ObservedRun): RunActivityName {
  const state = hosted.run.state;
  if (hosted.live?.blockedReason !== undefined) return "disk";
  if (state.end) return state.end.reason;
  if (hosted.holder !== undefined) return "elsewhere";
  if (state.paused !== undefined) return "paused";
  if (!isRunning(hosted)) return "interrupted";
  if (hosted.live?.pending?.kind === "question") return "question";
  if (hosted.live?.pending) return "approval";
  return getRunPhase(state) === "acting" ? "acting" : "thinking";
}

/** The state of a stored run. A run that is stored as open was interrupted, unless another process works on it. */
export function getStoredActivity({ state, holder }: Pick<RunSummary, "state" | "holder">): RunActivityName {
  if (holder) return "elsewhere";
  return state === "open" ? "interrupted" : state;
}

/** True if a run can't continue without the user: it needs a decision, an answer, or a problem fixed. */
function isWaitingForUser(hosted: ObservedRun): boolean {
  const { pending: waiting, blockedReason: hindrance } = hosted.live ?? {};
  if (waiting !== undefined || hindrance !== undefined) return true;
  const { paused } = hosted.run.state;
  return isRunning(hosted) && paused !== undefined && paused !== PAUSED_BY_USER;
}

/** Summary of the open runs, for the status bar and the badge of the activity icon. */
export interface RunsStatus {
  /** The id of the run to open on a click. */
  readonly run: string;
  readonly icon: "warning" | "bell-dot" | "hubot";
  readonly text: string;
  readonly tooltip: string;
  /** How many runs need attention. */
  readonly waiting: number;
}

/** A run of another window that waits for the user. */
interface WaitingElsewhere {
  readonly run: string;
  readonly text: string;
  /** True if it works in another place, and no window has it open. */
  readonly isInFleet?: boolean;
}

/**
 * Status of all open runs; undefined when there is nothing to report. Several pending runs are counted instead of named. Those of other
 * windows count too, and are opened if none here waits.
 */
export function computeRunsStatus(
  all: readonly ObservedRun[],
  shown: ObservedRun | undefined,
  elsewhere: readonly WaitingElsewhere[] = [],
): RunsStatus | undefined {
  const here = computeStatusHere(all, shown);
  const [first] = elsewhere;
  if (!first || (here && here.icon !== "hubot")) return here && { ...here, waiting: here.waiting + elsewhere.length };
  return {
    run: first.run,
    icon: "bell-dot",
    text: t(elsewhere.some(({ isInFleet }) => isInFleet) ? "header.attention" : "header.elsewhere", {
      count: elsewhere.length,
    }),
    tooltip: elsewhere.map(({ text }) => text).join("\n"),
    waiting: elsewhere.length,
  };
}

function computeStatusHere(all: readonly ObservedRun[], shown: ObservedRun | undefined): RunsStatus | undefined {
  const waiting = all.filter(isWaitingForUser);
  const hindered = waiting.find(({ live }) => live?.blockedReason !== undefined);
  const unseen = waiting.length > 1 ? waiting.find((hosted) => hosted !== shown) : undefined;
  const run = hindered ?? unseen ?? waiting[0] ?? all.find(isRunning) ?? shown;
  if (!run) return undefined;
  const count = waiting.length;
  return {
    run: run.id,
    icon: hindered ? "warning" : count > 0 ? "bell-dot" : "hubot",
    text: count > 1 ? t("header.attention", { count }) : formatStatus(run),
    tooltip: count > 1 ? waiting.map(formatSummaryLine).join("\n") : formatTooltip(run),
    waiting: count,
  };
}

/** The open runs for the panel's switcher: those that need attention first, then those at work. */
export function openRuns(all: readonly ObservedRun[]): readonly OpenRun[] {
  const runs = all.map((hosted) => ({
    run: hosted.id,
    title: getRunTitle(hosted),
    state: getActivity(hosted),
    attention: isWaitingForUser(hosted),
    rank: isWaitingForUser(hosted) ? 0 : isRunning(hosted) ? 1 : 2,
  }));
  return runs
    .toSorted((one, other) => one.rank - other.rank || other.run.localeCompare(one.run))
    .slice(0, MAX_OPEN_RUNS)
    .map(({ rank: _rank, ...run }) => run);
}

/** The list of runs shows additional ones. */
const MAX_OPEN_RUNS = 12;
/** Maximum length of a task as the name of a run. */
const MAX_TITLE = 200;

/** The user's own name for the run, or its task. */
export function getRunTitle({ title, run }: ObservedRun): string {
  return cutText(title ?? run.state.task, MAX_TITLE);
}

function getStateName(hosted: ObservedRun): string {
  return t(`header.state.${getActivity(hosted)}`);
}

function formatStatus(hosted: ObservedRun): string {
  const step = getCurrentStep(hosted);
  if (getActivity(hosted) === "approval") return t("header.statusApprove", { step });
  return t("header.status", { state: getStateName(hosted), step, cost: formatCost(hosted) });
}

function formatSummaryLine(hosted: ObservedRun): string {
  return t("header.statusLine", {
    task: getRunTitle(hosted),
    state: getStateName(hosted),
    step: getCurrentStep(hosted),
    cost: formatCost(hosted),
  });
}

function formatTooltip(hosted: ObservedRun): string {
  if (hosted.live?.blockedReason !== undefined) return write(hosted.live.blockedReason);
  return isWaitingForUser(hosted) ? t("header.statusAttention") : t("header.statusOpen");
}

function getCurrentStep({ run: { state } }: ObservedRun): number {
  return state.open?.step ?? state.totals.steps;
}

/** Dollars a run has spent; tokens where its price isn't known. */
function formatCost(hosted: ObservedRun): string {
  return formatTotalCost(hosted.run.state.totals);
}

/** Dollars that calls have cost; tokens where their price isn't known. */
export function formatTotalCost(totals: Pick<Totals, "input" | "output" | "usd" | "unpriced">): string {
  if (totals.unpriced > 0 && totals.usd === 0) return t("common.tokens", { count: totals.input + totals.output });
  const amount = formatUsd(totals.usd);
  return totals.unpriced > 0 ? t("header.orMore", { amount }) : amount;
}
