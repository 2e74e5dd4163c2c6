import * as vscode from "vscode";
import type { HostedRuns } from "../../editor/panel/hosted-runs.ts";
import type { Log } from "../../editor/panel/log.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import { EVERYTHING, STATE_GROUPS, type StateGroup } from "../../editor/panel/run-groups.ts";
import { t } from "../../texts/language.ts";
import { type FleetRuns, getMachineName } from "../fleet/fleet-runs.ts";
import type { PlaceLists } from "../fleet/place-lists.ts";
import { reportErrors, showProgress } from "../host/notifications.ts";
import type { RunLibrary } from "../host/run-library.ts";
import type { RunOpener } from "../host/run-opener.ts";
import { PlaceItem, pickRun, type RunsTree } from "../views/runs-tree.ts";
import type { OutputTerminal } from "../views/terminal.ts";
import { chooseRunFolder } from "../workspace/folders.ts";

/** Dependencies of the actions on the list of runs. */
export interface HistoryDependencies {
  readonly runs: HostedRuns;
  readonly library: RunLibrary;
  readonly fleet: FleetRuns;
  readonly lists: PlaceLists;
  readonly opener: Pick<RunOpener, "removeCopy">;
  readonly tree: RunsTree;
  readonly terminal: OutputTerminal;
  readonly log: Log;
}

/** Actions on the list of runs. */
export function createHistoryActions(parts: HistoryDependencies) {
  const { tree } = parts;
  return {
    deleteRun: (given?: unknown) => deleteRun(parts, given),
    pinRun: (given?: unknown) => pin(parts, given, true),
    unpinRun: (given?: unknown) => pin(parts, given, false),
    renameRun: (given?: unknown) => rename(parts, given),
    filterRuns: () => filter(parts),
    clearRunFilter: async () => tree.show({ ...EVERYTHING, by: tree.view.by }),
    refreshFleet: () => parts.lists.look(),
    forgetPlace: async (given?: unknown) => {
      if (given instanceof PlaceItem) await removePlace(parts, given.place);
    },
    groupRuns: async () => tree.show({ ...tree.view, by: tree.view.by === "date" ? "state" : "date" }),
  };
}

/** Deletes a run immediately and offers to undo that. */
async function deleteRun(
  { runs, library, fleet, lists, opener, tree, terminal, log }: HistoryDependencies,
  given: unknown,
): Promise<void> {
  const id = await pickRun({ library, runs }, given, t("runs.delete.title"));
  if (id === undefined) return;
  const sent = fleet.find(id) ?? lists.find(id);
  if (sent && !fleet.isRemoved(id)) {
    const machine = getMachineName(sent.place);
    const isOver =
      runs.get(id)?.run.state.end !== undefined || fleet.find(id)?.isOver || lists.find(id)?.state === "ended";
    const answer = await askHowToRemove(machine, isOver === true);
    if (answer === undefined) return;
    if (answer === "there") {
      const folder = fleet.find(id)?.folder ?? (await chooseRunFolder());
      await showProgress(t("fleet.removing", { machine }), (signal) => lists.remove(id, sent.place, folder, signal));
    }
    await runs.remove(id);
    await fleet.forget(id);
    return tree.refresh();
  }
  if (runs.get(id)?.live?.running && !(await mayStop())) return;
  await runs.remove(id);
  terminal.forget(id);
  const summary = (await library.list()).find((run) => run.id === id);
  const deleted = await library.delete(id);
  tree.refresh();
  const undo = t("actions.undo.undoButton");
  const text = t("runs.delete.done");
  const settle = async (): Promise<void> => {
    const answer = await vscode.window.showInformationMessage(text, undo);
    if (answer === undo) await deleted.putBack();
    else {
      await deleted.throwAway();
      if (summary) await opener.removeCopy(summary);
    }
    tree.refresh();
  };
  void reportErrors(log, settle);
}

/** Asks whether a run leaves only the list, or is deleted in its place, too, which only one that has ended can be. */
async function askHowToRemove(machine: string, isOver: boolean): Promise<"list" | "there" | undefined> {
  const [leave, remove] = [t("fleet.forgetButton"), t("fleet.removeButton")];
  const detail = t(isOver ? "fleet.removeDetail" : "fleet.forgetDetail", { machine });
  const buttons = isOver ? [leave, remove] : [leave];
  const answer = await vscode.window.showWarningMessage(t("fleet.forget"), { modal: true, detail }, ...buttons);
  return answer === leave ? "list" : answer === remove ? "there" : undefined;
}

/** Leaves a place out of the list, with the runs that this editor has sent there. */
async function removePlace({ fleet, lists }: HistoryDependencies, place: string): Promise<void> {
  const count = fleet.all.filter((sent) => sent.place === place).length;
  const button = t("fleet.forgetButton");
  const question = t("fleet.forgetPlace", { machine: getMachineName(place) });
  const detail = t("fleet.forgetPlaceDetail", { count });
  if (count > 0 && (await vscode.window.showWarningMessage(question, { modal: true, detail }, button)) !== button)
    return;
  await fleet.forgetPlace(place);
  await lists.forget(place);
}

async function mayStop(): Promise<boolean> {
  const stop = t("runs.stopAndDeleteButton");
  const detail = t("runs.delete.running");
  return (await vscode.window.showWarningMessage(t("runs.delete.ask"), { modal: true, detail }, stop)) === stop;
}

async function pin({ runs, library, tree }: HistoryDependencies, given: unknown, pinned: boolean): Promise<void> {
  const id = await pickRun({ library, runs }, given, pinned ? t("runs.pin.title") : t("runs.unpin.title"));
  if (id === undefined) return;
  await library.mark(id, { pinned });
  tree.refresh();
}

async function rename({ runs, library, tree }: HistoryDependencies, given: unknown): Promise<void> {
  const id = await pickRun({ library, runs }, given, t("runs.rename.title"));
  if (id === undefined) return;
  const summary = (await library.list()).find((run) => run.id === id);
  const title = await vscode.window.showInputBox({
    title: t("runs.rename.title"),
    prompt: t("runs.rename.prompt"),
    value: formatDisplayLine(summary?.title ?? summary?.task ?? ""),
  });
  if (title === undefined) return;
  const own = title.trim() === formatDisplayLine(summary?.task ?? "") ? "" : title.trim();
  await library.mark(id, { title: own });
  runs.rename(id, own === "" ? undefined : own);
  tree.refresh();
}

/** Shows a search box with the states to filter by below it. */
async function filter({ tree }: HistoryDependencies): Promise<void> {
  const box = vscode.window.createQuickPick<vscode.QuickPickItem & { readonly only?: StateGroup }>();
  box.title = t("runs.filter.title");
  box.placeholder = t("runs.filter.placeholder");
  box.value = tree.view.words;
  const states = STATE_GROUPS.map((only) => ({ label: t(`runs.group.${only}`), alwaysShow: true, only }));
  const fill = (words: string): void => {
    const label = words === "" ? t("runs.filter.all") : t("runs.filter.words", { words: formatDisplayLine(words) });
    const all = { label, alwaysShow: true };
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
