import { setTimeout } from "node:timers/promises";
import * as vscode from "vscode";
import type { MemoryItem } from "../memory/memory-item.ts";
import type { MemoryStore } from "../memory/memory-store.ts";
import type { HostedRuns } from "./hosted-runs.ts";
import type { Memories } from "./memories.ts";
import { plain } from "./say.ts";
import type { StoredRuns } from "./stored-runs.ts";
import type { TextDocuments } from "./text-documents.ts";

/** What searching the memory, and opening what is found, needs. */
export interface MemorySearching {
  readonly memories: Memories;
  readonly runs: HostedRuns;
  readonly stored: StoredRuns;
  readonly documents: TextDocuments;
}

interface FoundItem extends vscode.QuickPickItem {
  readonly id: string;
}

/** So long after the last key a search begins. */
const PAUSE_MS = 250;
const MOST = 30;
/** Enough for all hits to be listed; only a line of each is shown. */
const MANY_TOKENS = 100_000;

/** A box to type into, with the memories that fit below it; the one that was picked. */
export async function searchMemory(store: MemoryStore): Promise<MemoryItem | undefined> {
  const box = vscode.window.createQuickPick<FoundItem>();
  box.title = "Search Memory";
  box.placeholder = "What is remembered about …";
  box.items = newest(store);
  let searching = new AbortController();
  const look = async (query: string): Promise<void> => {
    searching.abort();
    searching = new AbortController();
    const { signal } = searching;
    await setTimeout(PAUSE_MS);
    if (signal.aborted) return;
    box.busy = true;
    const items = query.trim() === "" ? newest(store) : await found(store, query, signal).catch(() => []);
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
  return id === undefined ? undefined : store.get(id);
}

async function found(store: MemoryStore, query: string, signal: AbortSignal): Promise<FoundItem[]> {
  const hits = await store.recall(query, { count: MOST, maxTokens: MANY_TOKENS, signal });
  return hits.map(({ id, text, source, why }) => itemOf(id, text, source, why));
}

/** What was remembered last, before anything is asked. */
function newest(store: MemoryStore): FoundItem[] {
  return store
    .newest(MOST)
    .map(({ id, text, source, place, at }) =>
      itemOf(id, text, place ? `${source}, ${place}` : source, new Date(at).toLocaleString()),
    );
}

function itemOf(id: string, text: string, source: string, detail: string): FoundItem {
  return { id, label: plain(text), description: plain(source), detail: plain(detail), alwaysShow: true };
}
