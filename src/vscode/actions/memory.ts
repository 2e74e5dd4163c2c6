import * as vscode from "vscode";
import { ingest } from "../../memory/ingest.ts";
import type { MemoryStore } from "../../memory/memory-store.ts";
import { clearMemory } from "../clear-memory.ts";
import { type MemorySearching, searchMemory } from "../memory-search.ts";
import { openMemorySource } from "../memory-source.ts";
import { demandInBounds, isWorkspaceFile } from "../mentions.ts";
import { folderForRun } from "../place.ts";

/** Actions on what is remembered of the open folder. */
export function memoryActions(parts: MemorySearching) {
  const memory = async (): Promise<{ readonly folder: string; readonly store: MemoryStore }> => {
    const folder = await folderForRun();
    return { folder, store: await parts.memories.open(folder) };
  };
  return {
    searchMemory: async () => {
      const { folder, store } = await memory();
      const item = await searchMemory(store);
      if (item) await openMemorySource(parts, folder, item);
    },
    addToMemory: async () => addToMemory(await memory()),
    clearMemory: async () => clearMemory((await memory()).store),
  };
}

/** Remembers the selection with its place, or the whole file in pieces where nothing is selected. */
async function addToMemory({ folder, store }: { folder: string; store: MemoryStore }): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) throw new Error("Open a file and select what shall be remembered.");
  const { document, selection } = editor;
  await demandInBounds([document.uri]);
  const source = nameIn(folder, document.uri);
  const from = (await isWorkspaceFile(document.uri)) ? { sources: [] } : {};
  const text = document.getText(selection);
  if (text.trim() === "") {
    const ids = await ingest(store, { kind: "file", source, text: document.getText(), ...from });
    return tell(`${source} is remembered, in ${ids.length === 1 ? "one piece" : `${ids.length} pieces`}.`);
  }
  const place = `lines ${selection.start.line + 1} to ${selection.end.line + 1}`;
  await store.add([{ kind: "note", text, source, place, ...from }]);
  return tell(`${source}, ${place}, is remembered.`);
}

/** The path inside the folder, or the whole one for a file elsewhere. */
function nameIn(folder: string, uri: vscode.Uri): string {
  const root = vscode.Uri.file(folder).path;
  return uri.path.startsWith(`${root}/`) ? uri.path.slice(root.length + 1) : uri.fsPath;
}

async function tell(text: string): Promise<void> {
  void vscode.window.showInformationMessage(text);
}
