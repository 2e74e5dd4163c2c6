import { setTimeout } from "node:timers/promises";
import * as vscode from "vscode";
import { omitUndefined } from "../../core/base/objects.ts";
import type { HostedRuns } from "../../editor/panel/hosted-runs.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import { isRunning } from "../../editor/panel/run-status.ts";
import type { RunSummary } from "../../runs/store/run-summary.ts";
import { t } from "../../texts/language.ts";
import type { RunLibrary } from "../host/run-library.ts";
import type { StoredRuns } from "../host/stored-runs.ts";

/** Dependencies of searching runs. */
export interface SearchDependencies {
  readonly library: RunLibrary;
  readonly runs: HostedRuns;
  readonly stored: StoredRuns;
}

interface FoundItem extends vscode.QuickPickItem {
  readonly run: string;
  readonly step?: number;
}

/** Delay between the last key and a search, and update interval of its list, in milliseconds. */
const PAUSE_MS = 80;
const MOST = 200;

/** Actions that find stored runs. */
export function searchActions(parts: SearchDependencies) {
  return { searchRuns: () => searchInteractively(parts) };
}

/** Shows a search box with the hits found so far below it. */
async function searchInteractively(parts: SearchDependencies): Promise<void> {
  const summaries = await parts.library.list();
  const box = vscode.window.createQuickPick<FoundItem>();
  box.title = t("runs.search.title");
  box.placeholder = t("runs.search.placeholder");
  let searching = new AbortController();
  const look = async (query: string): Promise<void> => {
    searching.abort();
    searching = new AbortController();
    const { signal } = searching;
    box.busy = query.trim() !== "";
    await setTimeout(PAUSE_MS);
    if (!signal.aborted) await fill(box, summaries, query, signal);
    if (!signal.aborted) box.busy = false;
  };
  const chosen = await new Promise<FoundItem | undefined>((resolve) => {
    box.onDidChangeValue((query) => void look(query));
    box.onDidAccept(() => resolve(box.selectedItems[0]));
    box.onDidHide(() => resolve(undefined));
    box.show();
  });
  searching.abort();
  box.dispose();
  if (chosen === undefined) return;
  const hosted = await parts.stored.open(chosen.run);
  // A running run is shown as it is now, because an earlier step would hide what needs a decision.
  parts.runs.show(hosted.id, isRunning(hosted) ? undefined : chosen.step);
  await vscode.commands.executeCommand("autogpt.openPanel");
}

async function fill(
  box: vscode.QuickPick<FoundItem>,
  summaries: readonly RunSummary[],
  query: string,
  signal: AbortSignal,
): Promise<void> {
  const { searchRuns } = await import("../../runs/store/run-search.ts");
  const tasks = new Map(summaries.map(({ id, task }) => [id, task]));
  const items: FoundItem[] = [];
  let shown = 0;
  for await (const { run, step, where, excerpt } of searchRuns(summaries, query, signal)) {
    if (signal.aborted) return;
    const place = step === undefined ? where : t("runs.search.place", { step, where });
    items.push({
      label: formatDisplayLine(excerpt),
      description: place,
      detail: formatDisplayLine(tasks.get(run) ?? run),
      alwaysShow: true,
      run,
      ...omitUndefined({ step }),
    });
    if (items.length >= MOST) break;
    if (Date.now() - shown < PAUSE_MS) continue;
    box.items = [...items];
    shown = Date.now();
  }
  if (!signal.aborted) box.items = items;
}
