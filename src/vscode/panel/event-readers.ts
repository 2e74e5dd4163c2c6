import * as vscode from "vscode";
import { describeChangeFigures } from "../../core/commands/call-title.ts";
import { COMMAND } from "../../core/commands/command-traits.ts";
import { getOutcomeText } from "../../core/commands/outcome.ts";
import { OPENING } from "../../core/events/run-state.ts";
import type { HostedRuns } from "../../editor/panel/hosted-runs.ts";
import { type Log, logEnd } from "../../editor/panel/log.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import { followFigures } from "../../editor/review/change-figures.ts";
import type { OpenRuns, ProposalDiffs } from "../../editor/review/pending-decisions.ts";
import type { ChangeFigures } from "../../schema/panel-values.ts";
import { write } from "../../texts/language.ts";
import type { OutputTerminal } from "../views/terminal.ts";

/** Stores programs' output for the terminal, which opens on demand. A search's output appears only in the panel. */
export function showOutput(runs: HostedRuns, terminal: OutputTerminal): vscode.Disposable {
  const searches = new Map<string, number>();
  const events = runs.onEvent(({ runId, event }) => {
    if (event.type === "began" && event.command === COMMAND.search) searches.set(runId, event.step);
    if (event.type === "began" && typeof event.args.command_line === "string")
      terminal.begin(runId, event.step, event.args.command_line);
    if (event.type === "ended") terminal.end(runId, event.step, event.outcome.status);
  });
  const output = runs.onOutput(({ runId, step, chunk }) => {
    if (searches.get(runId) !== step) terminal.write(runId, step, chunk);
  });
  return vscode.Disposable.from(events, output);
}

/** How long the status bar describes an edit, in milliseconds. */
const SHOWN_MS = 6_000;

/** Reports the user's edits of a proposal in the status bar. The diff's title shows that they are approved, too. */
export function reportProposalEdits(parts: {
  readonly runs: OpenRuns;
  readonly diff: ProposalDiffs;
}): vscode.Disposable {
  const known = new Map<string, ChangeFigures>();
  const update = (): void => {
    const active = parts.diff.findActiveProposal();
    const edited = active !== undefined && known.get(formatStepKey(active))?.edited === true;
    void vscode.commands.executeCommand("setContext", "autogpt.proposalEdited", edited);
  };
  const following = followFigures(parts, ({ run, request, figures }) => {
    const key = formatStepKey({ run, step: request.step });
    const before = known.get(key);
    known.set(key, figures);
    vscode.window.setStatusBarMessage(write(describeChangeFigures(figures, before)), SHOWN_MS);
    update();
  });
  return vscode.Disposable.from(following, parts.diff.onDidChange(update));
}

function formatStepKey({ run, step }: { readonly run: string; readonly step: number }): string {
  return `${step} ${run}`;
}

/** Maximum number of characters read from an outcome. */
const LONGEST = 1_000;

/** Logs events without prompts and file contents, and with only one line per outcome. */
export function logEvents(runs: HostedRuns, log: Log): vscode.Disposable {
  return runs.onEvent(({ runId, event }) => {
    switch (event.type) {
      case "started":
        return log.info(`${runId}: started with ${event.model.smart}`);
      case "replied":
        if (event.of === OPENING) return log.info(`${runId}: step ${event.step} reads files before the model is asked`);
        if (event.of !== undefined)
          return log.info(`${runId}: step ${event.step} is the next call of the reply of step ${event.of}`);
        return log.info(
          `${runId}: step ${event.step} replied (${event.format}, ${event.finish || "no finish"}, ${event.usage?.input ?? "?"} + ${event.usage?.output ?? "?"} tokens)`,
        );
      case "decided":
        return log.info(
          `${runId}: step ${event.step} ${event.allow ? "allowed" : "refused"} by ${event.by}${event.rule ? ` (${event.rule})` : ""}: ${formatDisplayLine(event.reason)}`,
        );
      case "ended":
        return log.info(
          `${runId}: step ${event.step} ${event.outcome.status}: ${formatDisplayLine(getOutcomeText(event.outcome).slice(0, LONGEST)).slice(0, 200)}`,
        );
      case "paused":
        return log.warn(`${runId}: paused: ${formatDisplayLine(event.reason)}`);
      case "over":
        return logEnd(runId, event.end, log);
      default:
        return log.debug(`${runId}: ${"step" in event ? `step ${event.step} ` : ""}${event.type}`);
    }
  });
}
