import * as vscode from "vscode";
import type { RunSummary } from "../runs/summary.ts";
import { doing, type HostedRuns } from "./hosted-runs.ts";
import type { Library } from "./library.ts";
import { plain } from "./say.ts";

const ICON: Readonly<Record<string, string>> = {
  finished: "pass",
  exhausted: "credit-card",
  stuck: "question",
  failed: "error",
  crashed: "error",
  stopped: "debug-stop",
  paused: "debug-pause",
  open: "debug-disconnect",
  thinking: "loading~spin",
  acting: "loading~spin",
};

/** A run in the tree; the actions of its menus get it as their argument. */
export class RunItem extends vscode.TreeItem {
  readonly runId: string;

  constructor(summary: RunSummary, state: string) {
    super(plain(summary.task) || summary.id);
    this.runId = summary.id;
    this.id = summary.id;
    const cost = summary.unpriced && summary.usd === 0 ? "" : ` · $${summary.usd.toFixed(2)}`;
    const word = state === "open" ? "interrupted" : state;
    this.description = `${word} · ${summary.steps} steps${cost}`;
    this.tooltip = plain(
      `${summary.name}: ${summary.task}\n${new Date(summary.startedAt).toLocaleString()} · ${word}${summary.readOnly ? ` · ${summary.readOnly}` : ""}`,
    );
    this.iconPath = new vscode.ThemeIcon(ICON[state] ?? "comment");
    this.contextValue = summary.readOnly === undefined ? "run" : "run.readOnly";
    this.command = { command: "autogpt.openRun", title: "Open Run", arguments: [this] };
    this.accessibilityInformation = { label: `${plain(summary.task)}, ${word}, ${summary.steps} steps` };
  }
}

/** A day's worth of runs. */
class DayItem extends vscode.TreeItem {
  readonly children: readonly RunItem[];

  constructor(label: string, children: readonly RunItem[], open: boolean) {
    super(label, open ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed);
    this.id = `day:${label}`;
    this.children = children;
    this.contextValue = "day";
  }
}

/** The tree of runs: days, newest first, and below each its runs. */
export class RunsTree {
  private readonly runs: HostedRuns;
  private readonly library: Library;
  private changed: (() => void) | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(runs: HostedRuns, library: Library) {
    this.runs = runs;
    this.library = library;
    runs.onEvent(({ event }) => event.type !== "planned" && this.soon());
    runs.onShow(() => this.soon());
  }

  /** The items below one, or the outermost; `changed` is called when they should be asked for again. */
  async items(item: vscode.TreeItem | undefined, changed: () => void): Promise<vscode.TreeItem[]> {
    this.changed = changed;
    if (item instanceof DayItem) return [...item.children];
    if (item) return [];
    const days = new Map<string, RunItem[]>();
    for (const summary of await this.library.list()) {
      const hosted = this.runs.get(summary.id);
      const state = hosted?.live?.running ? doing(hosted) : summary.state;
      const day = dayOf(summary.startedAt);
      days.set(day, [...(days.get(day) ?? []), new RunItem(summary, state)]);
    }
    return [...days].map(([day, children], index) => new DayItem(day, children, index < 2));
  }

  private soon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.changed?.();
    }, REFRESH_MS);
  }
}

/** A busy run changes often; the tree follows at this pace. */
const REFRESH_MS = 300;

function dayOf(iso: string): string {
  const date = new Date(iso);
  const midnight = new Date().setHours(0, 0, 0, 0);
  if (date.getTime() >= midnight) return "Today";
  if (date.getTime() >= midnight - 86_400_000) return "Yesterday";
  return date.toLocaleDateString(undefined, { year: "numeric", month: "long", day: "numeric" });
}
