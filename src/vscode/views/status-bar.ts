import * as vscode from "vscode";
import type { HostedRuns } from "../../editor/panel/hosted-runs.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import type { QuestionBoard } from "../../editor/panel/question-board.ts";
import { computeRunsStatus, isRunning } from "../../editor/panel/run-status.ts";
import { t } from "../../texts/language.ts";
import type { PlaceLists } from "../fleet/place-lists.ts";

/** Shows the activity of runs in the status bar and on the activity icon, and how many need the user, in other windows as well. */
export function createStatusBar(
  runs: HostedRuns,
  tree: vscode.TreeView<unknown>,
  board: QuestionBoard,
  lists: PlaceLists,
): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("autogpt.status", vscode.StatusBarAlignment.Left, 50);
  item.name = "AutoGPT";
  const update = (): void => {
    const asked = new Set(board.others.map(({ run }) => run));
    const inFleet = lists.waiting.filter(({ run }) => !asked.has(run)).map((one) => ({ ...one, isInFleet: true }));
    const status = computeRunsStatus(runs.all, runs.shown, [...board.others, ...inFleet]);
    const waiting = status?.waiting ?? 0;
    tree.badge = waiting === 0 ? undefined : { value: waiting, tooltip: t("header.attention", { count: waiting }) };
    if (!status) {
      item.hide();
      return;
    }
    item.command = { command: "autogpt.openPanel", title: t("header.openPanel"), arguments: [status.run] };
    const text = t("header.statusItem", { status: status.text });
    item.text = `$(${status.icon}) ${text}`;
    item.tooltip = status.tooltip.split("\n").map(formatDisplayLine).join("\n");
    item.accessibilityInformation = { label: text };
    item.backgroundColor = waiting > 0 ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    item.show();
  };
  const news = [runs.onEvent, runs.onChange, runs.onShow].map((listen) => listen(update));
  const subscriptions = [...news, board.onChange(update), lists.onChange(update)];
  return vscode.Disposable.from(item, ...subscriptions);
}

/**
 * The first VS Code 1.x known not to pass on keys that a page's script has made. In an older one, a page could press the approval key, so
 * it works only in the panel and in diffs.
 */
const FIRST_WITHOUT_FORGED_KEYS = 139;

function hasNoForgedKeys(): boolean {
  const [major = 0, minor = 0] = vscode.version.split(".").map(Number);
  return major > 1 || (major === 1 && minor >= FIRST_WITHOUT_FORGED_KEYS);
}

/** Updates `autogpt.running` and `autogpt.awaitingApproval` from the runs. */
export function syncContextKeys(runs: HostedRuns): vscode.Disposable {
  const known = new Map<string, boolean>();
  const set = (key: string, value: boolean): void => {
    if (known.get(key) === value) return;
    known.set(key, value);
    void vscode.commands.executeCommand("setContext", key, value);
  };
  set("autogpt.keysAnywhere", hasNoForgedKeys());
  const update = (): void => {
    set("autogpt.running", runs.all.some(isRunning));
    set(
      "autogpt.awaitingApproval",
      runs.all.some((hosted) => hosted.live?.pending?.kind === "proposal"),
    );
    if (runs.all.length > 0) set("autogpt.hasRuns", true);
  };
  return vscode.Disposable.from(runs.onEvent(update), runs.onChange(update), runs.onShow(update));
}
