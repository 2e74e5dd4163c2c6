import * as vscode from "vscode";
import { isPlain } from "../../core/base/text.ts";
import {
  type PendingDecisions,
  type PendingProposal,
  pendingProposal,
} from "../../review/pending-decisions.ts";
import type { HostedRun, HostedRuns } from "../host/hosted-runs.ts";
import { oneLine } from "../host/notifications.ts";
import type { PanelHost } from "./panel-host.ts";

/** Says that something waits, when the panel is not there to show it. Our own words; of the command only what is plain. */
export function notifier(runs: HostedRuns, panel: PanelHost, waits: PendingDecisions): vscode.Disposable {
  const told = new WeakSet<object>();
  return runs.onChange((hosted) => {
    const waiting = pendingProposal(hosted);
    const question = hosted.live?.waiting?.kind === "question" ? hosted.live.waiting : undefined;
    const what = waiting?.request ?? question;
    if (!what || told.has(what) || (panel.visible && runs.shown === hosted && vscode.window.state.focused))
      return;
    told.add(what);
    if (waiting) void askAbout(waiting, waits);
    else void askToAnswer(hosted);
  });
}

async function askAbout(waiting: PendingProposal, waits: PendingDecisions): Promise<void> {
  const { request } = waiting;
  const line = commandLine(waiting);
  const text =
    line === undefined
      ? `${whoOf(waiting.hosted)} waits for your decision on step ${request.step}.`
      : `${whoOf(waiting.hosted)} wants to run${placeOf(waiting)}: ${line}`;
  const answer = await vscode.window.showInformationMessage(
    text,
    "Review",
    ...(line === undefined ? [] : ["Approve"]),
  );
  if (answer === "Review")
    await vscode.commands.executeCommand("autogpt.openPanel", waiting.hosted.id, request.step);
  if (answer !== "Approve") return;
  if (pendingProposal(waiting.hosted)?.request === request) {
    waits.saw(waiting, "notification");
    await waits.approve(waiting);
  } else void vscode.window.showInformationMessage("That proposal was already decided, so nothing was done.");
}

/** The whole of what would run, when it is one short plain line and its card would not warn. */
function commandLine({ request }: PendingProposal): string | undefined {
  const { prepared, why } = request;
  const { shell, cwd = "" } = prepared;
  const warns = why !== undefined && (why.sensitive || why.sources.length > 0);
  return shell !== undefined && isPlain(shell) && isPlain(`in ${cwd}`) && !warns ? shell : undefined;
}

/** Where it would run, unless that is the run's own folder. */
function placeOf({ hosted, request }: PendingProposal): string {
  const { cwd = hosted.folder } = request.prepared;
  return cwd === hosted.folder ? "" : ` in ${cwd}`;
}

/** An agent that works for a run is named, so that nobody takes it for the other one. */
function whoOf({ run }: HostedRun): string {
  const { worksFor, profile } = run.state;
  return worksFor === undefined ? "AutoGPT" : `The agent "${oneLine(profile.name)}"`;
}

async function askToAnswer(hosted: HostedRun): Promise<void> {
  const answer = await vscode.window.showInformationMessage(
    `${whoOf(hosted)} has a question for you.`,
    "Answer",
  );
  if (answer === "Answer") await vscode.commands.executeCommand("autogpt.giveFeedback", hosted.id);
}
