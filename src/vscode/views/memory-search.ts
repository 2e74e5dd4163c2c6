import { setTimeout } from "node:timers/promises";
import * as vscode from "vscode";
import { escapeInvisible } from "../../core/base/text.ts";
import { describeMemoryText } from "../../core/events/memory-sentence.ts";
import { describeMemorySource } from "../../core/events/memory-source.ts";
import type { HostedRuns } from "../../editor/panel/hosted-runs.ts";
import { pickLine } from "../../editor/panel/notification-text.ts";
import { isRunning } from "../../editor/panel/run-status.ts";
import { formatMemorySource, type MemoryItem } from "../../memory/store/memory-item.ts";
import type { WorkspaceMemory } from "../../memory/workspace-memory.ts";
import { getCurrentLanguage, t, write } from "../../texts/language.ts";
import type { RunLibrary } from "../host/run-library.ts";
import type { StoredRuns } from "../host/stored-runs.ts";
import { convertPathToUri } from "../workspace/places.ts";
import type { TextDocuments } from "./text-documents.ts";

/** Dependencies of searching the memory and opening its hits. */
export interface MemorySearchDependencies {
  readonly runs: HostedRuns;
  readonly stored: StoredRuns;
  readonly documents: TextDocuments;
  readonly library: Pick<RunLibrary, "list">;
}

/** The search box. */
export interface MemorySearchBox {
  readonly title: string;
  /** Called when the user picks that item in an empty memory. */
  addFolder(): Promise<void>;
  /** Loads the names of stored runs, by their ids. */
  loadRunNames(): Promise<ReadonlyMap<string, string>>;
  /** Shows a whole memory. */
  showWhole(item: MemoryItem): Promise<void>;
}

interface FoundItem extends vscode.QuickPickItem {
  readonly id: string;
}

/** Shows the whole text of a memory. */
const WHOLE = new vscode.ThemeIcon("open-preview");

/** Delay of a search after the last key. */
const PAUSE_MS = 250;
const MOST = 30;
/** Enough tokens to list all hits; the list shows only one line of each. */
const MANY_TOKENS = 100_000;

/** Shows a search box with the matching memories below it. Returns the picked memory; an empty memory offers to add a folder. */
export async function searchMemory(
  store: WorkspaceMemory,
  { title, addFolder, loadRunNames, showWhole }: MemorySearchBox,
): Promise<MemoryItem | undefined> {
  const box = vscode.window.createQuickPick<FoundItem>();
  box.title = title;
  box.placeholder = t("runs.memory.placeholder");
  const names = loadRunNames().catch(() => new Map<string, string>());
  void loadNewestItems(store, names).then(
    (items) => {
      if (box.value === "") box.items = items;
    },
    () => undefined,
  );
  let searching = new AbortController();
  const look = async (query: string): Promise<void> => {
    searching.abort();
    searching = new AbortController();
    const { signal } = searching;
    await setTimeout(PAUSE_MS);
    if (signal.aborted) return;
    box.busy = true;
    const items = await (query.trim() === ""
      ? loadNewestItems(store, names)
      : searchMemories(store, query, names, signal)
    ).catch(() => []);
    if (signal.aborted) return;
    box.items = items;
    box.busy = false;
  };
  const id = await new Promise<string | undefined>((resolve) => {
    box.onDidChangeValue((query) => void look(query));
    box.onDidTriggerItemButton(async ({ item: { id } }) => {
      const item = await store.get(id);
      if (item) await showWhole(item);
    });
    box.onDidAccept(() => resolve(box.selectedItems[0]?.id));
    box.onDidHide(() => resolve(undefined));
    box.show();
  });
  searching.abort();
  box.dispose();
  if (id === ADD_FOLDER) await addFolder();
  return id === undefined ? undefined : store.get(id);
}

/** Used instead of a memory's id, which never has this form. */
const ADD_FOLDER = "add-folder";

/** Names of runs by their ids, which may still be loading. */
type RunNames = Promise<ReadonlyMap<string, string>>;

async function searchMemories(
  store: WorkspaceMemory,
  query: string,
  names: RunNames,
  signal: AbortSignal,
): Promise<FoundItem[]> {
  const hits = await store.recall(query, { count: MOST, maxTokens: MANY_TOKENS, signal, onlyAlike: true });
  const known = await names;
  if (hits.length > 0)
    return hits.map((hit) => createFoundItem(hit, nameSource(hit, known), hit.reason ? write(hit.reason) : hit.why));
  return [store.state.count === 0 ? createEmptyMemoryItem() : createNoHitsItem()];
}

/** Picking it lets the user fill the memory. */
function createEmptyMemoryItem(): FoundItem {
  const [label, detail] = [t("runs.memory.nothingYet"), t("runs.memory.nothingYetDetail")];
  return { id: ADD_FOLDER, label, detail, alwaysShow: true };
}

/** Picking it opens nothing. */
function createNoHitsItem(): FoundItem {
  return { id: "", label: t("runs.memory.noHits"), alwaysShow: true };
}

/** The newest memories, shown before the user types. */
async function loadNewestItems(store: WorkspaceMemory, names: RunNames): Promise<FoundItem[]> {
  const items = await store.listNewest(MOST);
  const known = await names;
  if (items.length === 0) return [createEmptyMemoryItem()];
  return items.map((item) =>
    createFoundItem(item, nameSource({ ...item, source: formatMemorySource(item) }, known), formatDate(item)),
  );
}

/** The name of the run that a memory is from, or its other source. */
function nameSource(
  { kind, run = "", source }: Pick<MemoryItem, "kind" | "run" | "source">,
  names: ReadonlyMap<string, string>,
): string {
  const name = kind === "episode" ? names.get(run) : undefined;
  return name ?? write(describeMemorySource(source));
}

function formatSource(item: MemoryItem): string {
  return write(describeMemorySource(formatMemorySource(item)));
}

/** Shows an invalid date as it is. */
function formatDate({ at }: MemoryItem): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : date.toLocaleString(getCurrentLanguage().tag);
}

/** The memory as a sentence, with the run or another source, the day and the match below it. */
function createFoundItem({ id, text }: Pick<MemoryItem, "id" | "text">, run: string, more: string): FoundItem {
  return {
    id,
    label: pickLine(write(describeMemoryText(text))),
    detail: pickLine(t("runs.memory.ofRun", { run, more })),
    buttons: [{ iconPath: WHOLE, tooltip: t("runs.memory.wholeButton") }],
    alwaysShow: true,
  };
}

/**
 * Opens the source of a memory: the lines of a file, or the run as of that step. If there is none, opens the memory itself, which names its
 * source.
 */
export async function openMemorySource(
  parts: MemorySearchDependencies,
  folder: string,
  item: MemoryItem,
): Promise<void> {
  if (await openFile(folder, item)) return;
  if (item.kind === "episode" && item.run !== undefined && (await openRun(parts, item.run, item.step))) return;
  await showWholeMemory(parts, item);
}

/** Shows all of a memory, with its source and its date. */
export async function showWholeMemory(
  { documents }: Pick<MemorySearchDependencies, "documents">,
  item: MemoryItem,
): Promise<void> {
  const head = [
    t("runs.memory.from", { source: formatSource(item) }),
    t("runs.memory.kept", { date: formatDate(item) }),
  ];
  await documents.show(t("runs.memory.document"), escapeInvisible([...head, "", item.text].join("\n")));
}

/** False if the file no longer exists. */
async function openFile(folder: string, { kind, source, place = "" }: MemoryItem): Promise<boolean> {
  if (kind !== "file" && kind !== "note") return false;
  const root = convertPathToUri(folder);
  const uri = source.startsWith("/") ? root.with({ path: source }) : vscode.Uri.joinPath(root, source);
  const inside = uri.path.startsWith(`${root.path.replace(/\/$/, "")}/`);
  if (!inside || !(await isFile(uri))) return false;
  const [, from = "1", to = from] = /^lines (\d+) to (\d+)$/.exec(place) ?? [];
  const selection = new vscode.Range(Number(from) - 1, 0, Number(to), 0);
  await vscode.window.showTextDocument(uri, { preview: true, ...(place === "" ? {} : { selection }) });
  return true;
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  try {
    return (await vscode.workspace.fs.stat(uri)).type === vscode.FileType.File;
  } catch {
    return false;
  }
}

/** False for a run that is no longer stored. */
async function openRun(
  { stored, runs }: MemorySearchDependencies,
  id: string,
  step: number | undefined,
): Promise<boolean> {
  const hosted = await stored.open(id).catch(() => undefined);
  if (!hosted) return false;
  // A running run is shown as it is now, because an earlier step would hide what needs a decision.
  runs.show(hosted.id, isRunning(hosted) ? undefined : step);
  await vscode.commands.executeCommand("autogpt.openPanel");
  return true;
}
