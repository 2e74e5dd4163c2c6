import { setTimeout } from "node:timers/promises";
import * as vscode from "vscode";
import { escapeInvisible } from "../../core/base/text.ts";
import { describeMemorySource } from "../../core/events/memory-source.ts";
import type { HostedRuns } from "../../editor/panel/hosted-runs.ts";
import { pickLine } from "../../editor/panel/notification-text.ts";
import { formatMemorySource, type MemoryItem } from "../../memory/store/memory-item.ts";
import type { WorkspaceMemory } from "../../memory/workspace-memory.ts";
import { getCurrentLanguage, t, write } from "../../texts/language.ts";
import type { StoredRuns } from "../host/stored-runs.ts";
import { convertPathToUri } from "../workspace/places.ts";
import type { TextDocuments } from "./text-documents.ts";

/** Dependencies of searching the memory and opening its hits. */
export interface MemorySearchDependencies {
  readonly runs: HostedRuns;
  readonly stored: StoredRuns;
  readonly documents: TextDocuments;
}

/** The search box. */
export interface MemorySearchBox {
  readonly title: string;
  /** Called when the user picks that item in an empty memory. */
  addFolder(): Promise<void>;
}

interface FoundItem extends vscode.QuickPickItem {
  readonly id: string;
}

/** Delay of a search after the last key. */
const PAUSE_MS = 250;
const MOST = 30;
/** Enough tokens to list all hits; the list shows only one line of each. */
const MANY_TOKENS = 100_000;

/** Shows a search box with the matching memories below it. Returns the picked memory; an empty memory offers to add a folder. */
export async function searchMemory(
  store: WorkspaceMemory,
  { title, addFolder }: MemorySearchBox,
): Promise<MemoryItem | undefined> {
  const box = vscode.window.createQuickPick<FoundItem>();
  box.title = title;
  box.placeholder = t("runs.memory.placeholder");
  void loadNewestItems(store).then(
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
    const items = await (query.trim() === "" ? loadNewestItems(store) : searchMemories(store, query, signal)).catch(
      () => [],
    );
    if (signal.aborted) return;
    box.items = items;
    box.busy = false;
  };
  const id = await new Promise<string | undefined>((resolve) => {
    box.onDidChangeValue((query) => void look(query));
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

async function searchMemories(store: WorkspaceMemory, query: string, signal: AbortSignal): Promise<FoundItem[]> {
  const hits = await store.recall(query, { count: MOST, maxTokens: MANY_TOKENS, signal, onlyAlike: true });
  if (hits.length > 0)
    return hits.map(({ id, text, source, why, reason }) =>
      createFoundItem(id, text, write(describeMemorySource(source)), reason ? write(reason) : why),
    );
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
async function loadNewestItems(store: WorkspaceMemory): Promise<FoundItem[]> {
  const items = await store.listNewest(MOST);
  if (items.length === 0) return [createEmptyMemoryItem()];
  return items.map((item) => createFoundItem(item.id, item.text, formatSource(item), formatDate(item)));
}

function formatSource(item: MemoryItem): string {
  return write(describeMemorySource(formatMemorySource(item)));
}

/** Shows an invalid date as it is. */
function formatDate({ at }: MemoryItem): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : date.toLocaleString(getCurrentLanguage().tag);
}

/** Puts the source on the second line, because the text usually fills the first. */
function createFoundItem(id: string, text: string, source: string, more: string): FoundItem {
  return { id, label: pickLine(text), detail: pickLine(`${source} · ${more}`), alwaysShow: true };
}

/**
 * Opens the source of a memory: the lines of a file, or the run of a step. If there is none, opens the memory itself, which names its
 * source.
 */
export async function openMemorySource(
  parts: MemorySearchDependencies,
  folder: string,
  item: MemoryItem,
): Promise<void> {
  if (await openFile(folder, item)) return;
  if (item.kind === "episode" && item.run !== undefined && (await openRun(parts, item.run))) return;
  const { text } = item;
  const head = [
    t("runs.memory.from", { source: formatSource(item) }),
    t("runs.memory.kept", { date: formatDate(item) }),
  ];
  await parts.documents.show(t("runs.memory.document"), escapeInvisible([...head, "", text].join("\n")));
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
async function openRun({ stored, runs }: MemorySearchDependencies, id: string): Promise<boolean> {
  const hosted = await stored.open(id).catch(() => undefined);
  if (!hosted) return false;
  runs.show(hosted.id);
  await vscode.commands.executeCommand("autogpt.openPanel");
  return true;
}
