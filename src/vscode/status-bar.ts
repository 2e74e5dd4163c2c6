import * as vscode from "vscode";
import { doing, type HostedRun, type HostedRuns, isRunning } from "./hosted-runs.ts";
import { plain } from "./say.ts";

/** Says in the status bar what the agent is doing and what it has spent; a click opens the panel. */
export function statusBar(runs: HostedRuns): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("autogpt.status", vscode.StatusBarAlignment.Left, 50);
  item.name = "AutoGPT";
  const update = (): void => {
    const hosted = mostUrgent(runs);
    if (!hosted) {
      item.hide();
      return;
    }
    const { waiting, hindrance } = hosted.live ?? {};
    const waits = waiting !== undefined || hindrance !== undefined;
    item.command = { command: "autogpt.openPanel", title: "Open Agent Panel", arguments: [hosted.id] };
    item.text = `$(${hindrance ? "warning" : waits ? "bell-dot" : "hubot"}) AutoGPT ${doing(hosted)} · step ${hosted.run.state.open?.step ?? hosted.run.state.totals.steps} · ${money(hosted)}`;
    item.tooltip = tooltip(hosted);
    item.accessibilityInformation = { label: `AutoGPT ${doing(hosted)}, ${money(hosted)} spent` };
    item.backgroundColor = waits ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    item.show();
  };
  const subscriptions = [runs.onEvent(update), runs.onChange(update), runs.onShow(update)];
  return vscode.Disposable.from(item, ...subscriptions);
}

function tooltip({ live }: HostedRun): string {
  if (live?.hindrance !== undefined) return plain(live.hindrance);
  return live?.waiting
    ? "The agent waits for you. Click to see what it wants."
    : "Click to open the agent's panel.";
}

/** The run to speak of: one that is hindered, else one that waits, else one that works, else the one shown. */
function mostUrgent({ all, shown }: HostedRuns): HostedRun | undefined {
  return (
    all.find(({ live }) => live?.hindrance !== undefined) ??
    all.find(({ live }) => live?.waiting) ??
    all.find(isRunning) ??
    shown
  );
}

/** What a run has spent; tokens where a price is not known. */
function money(hosted: HostedRun): string {
  const { totals } = hosted.run.state;
  if (totals.unpriced > 0 && totals.usd === 0) return `${totals.input + totals.output} tokens`;
  return `${totals.unpriced > 0 ? "at least " : ""}$${totals.usd.toFixed(totals.usd === 0 || totals.usd >= 0.1 ? 2 : 4)}`;
}
