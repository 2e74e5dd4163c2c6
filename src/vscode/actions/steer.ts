import * as vscode from "vscode";
import { explainHowToSeeAll, getPreviewShape } from "../../core/commands/preview.ts";
import type { LiveRun } from "../../core/loop/live-run.ts";
import { describeContinuousMode } from "../../editor/panel/continuous-mode.ts";
import { findRunByArgument, type HostedRun, type HostedRuns } from "../../editor/panel/hosted-runs.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import { getRunTitle, isRunning } from "../../editor/panel/run-status.ts";
import { findPendingProposal, type PendingDecisions } from "../../editor/review/pending-decisions.ts";
import { describeRunInUse } from "../../runs/log/run-lease.ts";
import type { RunSummary } from "../../runs/store/run-summary.ts";
import {
  COMPACTION_REQUESTED,
  changeLimits,
  describeCompaction,
  formatLimit,
  parseHigherLimit,
} from "../../runtime/run-control.ts";
import { DisplayError, displayText, fail, type Sentence } from "../../texts/display-text.ts";
import { t, write } from "../../texts/language.ts";
import type { PlaceLists } from "../fleet/place-lists.ts";
import type { RunLibrary } from "../host/run-library.ts";
import type { RunOpener } from "../host/run-opener.ts";
import { readSettings } from "../host/settings.ts";
import type { StoredRuns } from "../host/stored-runs.ts";
import { pickRun, RunItem } from "../views/runs-tree.ts";

/** Dependencies of the actions that steer a run. */
export interface SteerDependencies {
  readonly runs: HostedRuns;
  readonly library: RunLibrary;
  readonly stored: StoredRuns;
  readonly waits: Pick<PendingDecisions, "isSeen">;
  readonly opener: Pick<RunOpener, "canIsolate">;
  readonly lists: Pick<PlaceLists, "stop">;
}

/** Actions on a running run. */
export function steerActions({ runs, library, stored, waits, opener, lists }: SteerDependencies) {
  /** The named run, the shown one, or the first that is running. */
  const findRunningRun = (given?: unknown): HostedRun => {
    const named = findRunByArgument(runs, given);
    const hosted = named ?? (isRunning(runs.shown) ? runs.shown : runs.all.find(isRunning));
    if (!hosted) fail("actions.steer.noneRunning");
    return hosted;
  };

  const stopAgent = async (given?: unknown): Promise<void> => {
    if (given instanceof RunItem && !runs.get(given.runId)) {
      if (await lists.stop(given.runId)) return;
      return void vscode.window.showInformationMessage(t("fleet.stopSent"));
    }
    await findRunningRun(given).live?.stop();
  };

  const pauseAgent = async (given?: unknown): Promise<void> => {
    findRunningRun(given).live?.pause();
  };

  const continueAgent = async (given?: unknown): Promise<void> => {
    const hosted = findRunByArgument(runs, given) ?? runs.shown ?? (await stored.openNewest());
    if (!hosted) fail("actions.steer.noneToResume");
    await goOn(hosted);
  };

  const resumeRun = async (given?: unknown): Promise<void> => {
    const id = await pickRun({ library, runs }, given, t("actions.steer.resumeTitle"), (run) => mayGoOn(run, runs));
    if (id === undefined) return;
    const hosted = await stored.open(id);
    runs.show(hosted.id);
    await vscode.commands.executeCommand("autogpt.panel.focus");
    await goOn(hosted);
  };

  const takeOverRun = async (given?: unknown): Promise<void> => {
    const named = findRunByArgument(runs, given) ?? (runs.shown?.holder ? runs.shown : undefined);
    const isElsewhere = ({ holder }: RunSummary): boolean => holder !== undefined;
    const id = named?.id ?? (await pickRun({ library, runs }, given, t("actions.takeOver.title"), isElsewhere));
    if (id !== undefined) await takeOver(await stored.open(id), runs, stored);
  };

  return {
    takeOverRun,
    stopAgent,
    pauseAgent,
    continueAgent,
    resumeRun,
    toggleContinuous: async (given?: unknown) => toggleContinuous(findRunningRun(given), { waits, opener }),
    raiseBudget: async (hosted: HostedRun | undefined) =>
      void (hosted && (await raiseBudget(hosted)) && hosted.live?.resume()),
    compactNow,
  };
}

/** Takes a run over from another process, after the user's confirmation. */
async function takeOver(hosted: HostedRun, runs: HostedRuns, stored: StoredRuns): Promise<void> {
  if (!hosted.holder) fail("actions.takeOver.none");
  const button = t("actions.takeOver.button");
  const answer = await vscode.window.showWarningMessage(
    t("actions.takeOver.ask", { task: formatDisplayLine(getRunTitle(hosted)) }),
    { modal: true, detail: t("actions.takeOver.detail", { where: write(describeRunInUse(hosted.holder)) }) },
    button,
  );
  if (answer !== button) return;
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: t("actions.takeOver.progress"),
    cancellable: true,
  };
  const taken = await vscode.window.withProgress(options, (_progress, token) => {
    const controller = new AbortController();
    token.onCancellationRequested(() => controller.abort(new vscode.CancellationError()));
    return stored.takeOver(hosted.id, controller.signal);
  });
  runs.show(taken.id);
  await vscode.commands.executeCommand("autogpt.openPanel", taken.id);
}

async function compactNow({ live, readOnly }: HostedRun, tell: (text: Sentence) => void): Promise<void> {
  if (!live) throw new DisplayError(readOnly ?? displayText("actions.readOnly"));
  tell(COMPACTION_REQUESTED);
  tell(describeCompaction(await live.compact()));
}

async function toggleContinuous(
  hosted: HostedRun,
  { waits, opener }: Pick<SteerDependencies, "waits" | "opener">,
): Promise<void> {
  const { live, grants, run } = hosted;
  if (!grants) return;
  if (run.state.isolated) fail("isolation.neverAsks");
  if (run.state.mode === "plan") fail("actions.steer.planning");
  if (grants.continuousLeft > 0) {
    grants.stopContinuous();
    await run.record({ type: "changed", mode: "ask" });
    return;
  }
  const request = findPendingProposal(hosted)?.request;
  if (request && !waits.isSeen(request))
    fail("approval.continuousUnseen", {
      hint: explainHowToSeeAll(getPreviewShape(request.prepared.preview)),
    });
  const limit = readSettings().run.continuousLimit;
  const on = t("actions.steer.turnOnButton");
  const canIsolate = await opener.canIsolate(hosted.folder);
  const { title, detail } = describeContinuousMode(limit, canIsolate);
  const isolated = t("actions.startIsolatedButton");
  const buttons = canIsolate ? [on, isolated] : [on];
  const answer = await vscode.window.showWarningMessage(title, { modal: true, detail }, ...buttons);
  if (answer === isolated)
    return void (await vscode.commands.executeCommand("autogpt.startIsolated", { task: run.state.task }));
  if (answer !== on) return;
  await run.record({ type: "changed", mode: "continuous" });
  grants.startContinuous(limit);
  live?.showAgain();
}

function mayGoOn({ id, readOnly, holder, state }: RunSummary, runs: HostedRuns): boolean {
  const hosted = runs.get(id);
  const atWork = isRunning(hosted) && hosted?.run.state.paused === undefined;
  return readOnly === undefined && holder === undefined && state !== "finished" && !atWork;
}

/** Resumes a run. First asks for a higher limit if one was reached, or for a task if the run has finished. */
async function goOn(hosted: HostedRun): Promise<void> {
  const { live, readOnly, run } = hosted;
  if (!live) throw new DisplayError(readOnly ?? displayText("actions.readOnly"));
  if (live.running) return live.resume();
  const { end } = run.state;
  // A run elsewhere that has ended hears only words and limits.
  if (hosted.place && end && (end.reason !== "exhausted" || end.budget))
    return end.reason === "finished" ? followUp(live) : live.say(t("actions.continueButton"));
  switch (end?.reason) {
    case "exhausted":
      // The next day or month has money again.
      return end.budget || (await raiseBudget(hosted)) ? live.resume() : undefined;
    case "finished":
      return followUp(live);
    default:
      return live.resume();
  }
}

async function followUp(live: LiveRun): Promise<void> {
  const task = await vscode.window.showInputBox({
    title: t("actions.steer.followUpTitle"),
    prompt: t("actions.steer.followUpPrompt"),
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? t("start.emptyTask") : undefined),
  });
  if (task !== undefined) await live.say(task.trim());
}

/** Asks for a higher value of the limit that was reached. False when the user cancels. */
async function raiseBudget(hosted: HostedRun): Promise<boolean> {
  const { end, limits } = hosted.run.state;
  if (end?.reason !== "exhausted") return true;
  const { budget } = end;
  const now = budget?.usd ?? limits[end.limit];
  const limit = formatLimit(end.limit, now);
  const answer = await vscode.window.showInputBox({
    title: t("actions.steer.raiseTitle"),
    prompt: budget
      ? t("actions.steer.raiseForAllPrompt", { limit, setting: `autogpt.${BUDGET_SETTINGS[budget.per]}` })
      : t("actions.steer.raisePrompt", { limit }),
    value: String(now * 2),
    validateInput: (text) => {
      const higher = parseHigherLimit(text, now);
      return typeof higher === "string" ? higher : undefined;
    },
  });
  if (answer === undefined) return false;
  if (budget)
    await vscode.workspace
      .getConfiguration("autogpt")
      .update(BUDGET_SETTINGS[budget.per], Number(answer), vscode.ConfigurationTarget.Global);
  else {
    const limits = { [end.limit]: Number(answer) };
    await (hosted.place ? hosted.place.raise(limits) : changeLimits(hosted.run, limits));
  }
  return true;
}

const BUDGET_SETTINGS = { day: "run.budgetPerDay", month: "run.budgetPerMonth" } as const;
