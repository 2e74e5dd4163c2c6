import * as vscode from "vscode";
import { outcomeText } from "../../core/commands/outcome.ts";
import type { HostedRun, HostedRuns } from "../../panel/hosted-runs.ts";
import { type Log, logEnd } from "../../panel/log.ts";
import { displayLine } from "../../panel/notification-text.ts";
import { pendingProposal } from "../../review/pending-decisions.ts";
import { readSettings } from "../host/settings.ts";
import type { DiffReview } from "../review/diff-review.ts";
import type { OutputTerminal } from "../views/terminal.ts";

/**
 * Offers proposed file changes for review while they are pending, and withdraws them once they are decided. A diff that
 * couldn't be opened automatically can be requested, and then reports why.
 */
export function offerDiffs(
  runs: HostedRuns,
  diff: DiffReview,
  panel: { readonly focused: boolean },
): vscode.Disposable {
  const offered = new Map<string, { readonly request: object; readonly step: number }>();
  const update = (hosted: HostedRun): void => {
    const waiting = pendingProposal(hosted);
    const before = offered.get(hosted.id);
    if (before?.request === waiting?.request) return;
    offered.delete(hosted.id);
    if (before) void diff.withdraw(hosted.id, before.step).catch(() => undefined);
    if (waiting?.request.prepared.preview.kind !== "change") return;
    offered.set(hosted.id, { request: waiting.request, step: waiting.request.step });
    const auto = readSettings().approval.openDiff;
    void diff.offer(hosted.id, waiting.request, { auto, cover: panel.focused }).catch(() => undefined);
  };
  return runs.onChange(update);
}

/** Keeps the output of programs for the terminal, which shows it on demand. The panel alone shows that of a search. */
export function showOutput(runs: HostedRuns, terminal: OutputTerminal): vscode.Disposable {
  const searches = new Map<string, number>();
  const events = runs.onEvent(({ runId, event }) => {
    if (event.type === "began" && event.command === "search_files") searches.set(runId, event.step);
    if (event.type === "began" && typeof event.args.command_line === "string")
      terminal.begin(runId, event.step, event.args.command_line);
    if (event.type === "ended") terminal.end(runId, event.step, event.outcome.status);
  });
  const output = runs.onOutput(({ runId, step, chunk }) => {
    if (searches.get(runId) !== step) terminal.write(runId, step, chunk);
  });
  return vscode.Disposable.from(events, output);
}

/** Characters of an outcome that are read, because it may be very long. */
const LONGEST = 1_000;

/** Logs events: no prompts, no file contents, and only one line of an outcome. */
export function logEvents(runs: HostedRuns, log: Log): vscode.Disposable {
  return runs.onEvent(({ runId, event }) => {
    switch (event.type) {
      case "started":
        return log.info(`${runId}: started with ${event.model.smart}`);
      case "replied":
        return log.info(
          `${runId}: step ${event.step} replied (${event.format}, ${event.finish || "no finish"}, ${event.usage?.input ?? "?"} + ${event.usage?.output ?? "?"} tokens)`,
        );
      case "decided":
        return log.info(
          `${runId}: step ${event.step} ${event.allow ? "allowed" : "refused"} by ${event.by}${event.rule ? ` (${event.rule})` : ""}: ${displayLine(event.reason)}`,
        );
      case "ended":
        return log.info(
          `${runId}: step ${event.step} ${event.outcome.status}: ${displayLine(outcomeText(event.outcome).slice(0, LONGEST)).slice(0, 200)}`,
        );
      case "paused":
        return log.warn(`${runId}: paused: ${displayLine(event.reason)}`);
      case "over":
        return logEnd(runId, event.end, log);
      default:
        return log.debug(`${runId}: ${"step" in event ? `step ${event.step} ` : ""}${event.type}`);
    }
  });
}
