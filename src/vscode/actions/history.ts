import * as vscode from "vscode";
import type { HostedRuns } from "../../panel/hosted-runs.ts";
import type { Log } from "../../panel/log.ts";
import { displayLine } from "../../panel/notification-text.ts";
import { EVERYTHING, type StateGroup } from "../../panel/run-groups.ts";
import { reportErrors } from "../host/notifications.ts";
import type { RunLibrary } from "../host/run-library.ts";
import { pickRun, type RunsTree } from "../views/runs-tree.ts";
import type { OutputTerminal } from "../views/terminal.ts";

/** Dependencies of the actions on the list of runs. */
export interface HistoryDependencies {
  readonly runs: HostedRuns;
  readonly library: RunLibrary;
  readonly tree: RunsTree;
  readonly terminal: OutputTerminal;
  readonly log: Log;
}

/** Actions on the list of runs. */
export function historyActions(parts: HistoryDependencies) {
  const { tree } = parts;
  return {
    deleteRun: (given?: unknown) => deleteRun(parts, given),
    pinRun: (given?: unknown) => pin(parts, given, true),
    unpinRun: (given?: unknown) => pin(parts, given, false),
    renameRun: (given?: unknown) => rename(parts, given),
    filterRuns: () => filter(parts),
    clearRunFilter: async () => tree.show({ ...EVERYTHING, by: tree.view.by }),
    groupRuns: async () => tree.show({ ...tree.view, by: tree.view.by === "date" ? "state" : "date" }),
  };
}

/** Deletes a run immediately and offers to undo that. */
async function deleteRun(
  { runs, library, tree, terminal, log }: HistoryDependencies,
  given: unknown,
): Promise<void> {
  const id = await pickRun(library, given, "Delete Run");
  if (id === undefined) return;
  if (runs.get(id)?.live?.running && !(await mayStop())) return;
  await runs.remove(id);
  terminal.forget(id);
  const deleted = await library.delete(id);
  tree.refresh();
  const undo = "Undo";
  const text = "Run deleted. The files that it changed aren't affected.";
  const settle = async (): Promise<void> => {
    const answer = await vscode.window.showInformationMessage(text, undo);
    await (answer === undo ? deleted.putBack() : deleted.throwAway());
    tree.refresh();
  };
  void reportErrors(log, settle);
}

async function mayStop(): Promise<boolean> {
  const stop = "Stop and Delete";
  const detail = "It is still running.";
  return (await vscode.window.showWarningMessage("Delete this run?", { modal: true, detail }, stop)) === stop;
}

async function pin({ library, tree }: HistoryDependencies, given: unknown, pinned: boolean): Promise<void> {
  const id = await pickRun(library, given, pinned ? "Pin Run" : "Unpin Run");
  if (id === undefined) return;
  await library.mark(id, { pinned });
  tree.refresh();
}

async function rename({ library, tree }: HistoryDependencies, given: unknown): Promise<void> {
  const id = await pickRun(library, given, "Rename Run");
  if (id === undefined) return;
  const summary = (await library.list()).find((run) => run.id === id);
  const title = await vscode.window.showInputBox({
    title: "Rename Run",
    prompt: "Name (empty: use the task)",
    value: displayLine(summary?.title ?? summary?.task ?? ""),
  });
  if (title === undefined) return;
  await library.mark(id, { title: title.trim() === displayLine(summary?.task ?? "") ? "" : title.trim() });
  tree.refresh();
}

const STATES: readonly StateGroup[] = ["In progress", "Interrupted", "Finished", "Ended early"];

/** Shows a box for words, with the states to choose from below it. */
async function filter({ tree }: HistoryDependencies): Promise<void> {
  const box = vscode.window.createQuickPick<vscode.QuickPickItem & { readonly only?: StateGroup }>();
  box.title = "Filter Runs";
  box.placeholder = "Words in a task or name, or choose below";
  box.value = tree.view.words;
  const states = STATES.map((only) => ({ label: only, alwaysShow: true, only }));
  const fill = (words: string): void => {
    const all = { label: words === "" ? "All runs" : `Runs with “${displayLine(words)}”`, alwaysShow: true };
    box.items = [all, ...states];
  };
  fill(box.value);
  box.onDidChangeValue((words) => fill(words));
  box.onDidHide(() => box.dispose());
  box.onDidAccept(() => {
    const [picked] = box.selectedItems;
    const { by } = tree.view;
    tree.show({ by, words: box.value.trim(), ...(picked?.only ? { only: picked.only } : {}) });
    box.hide();
  });
  box.show();
}
