import * as vscode from "vscode";
import { counted } from "../../core/base/text.ts";
import { ingest } from "../../memory/recall/documents.ts";
import type { WorkspaceMemory } from "../../memory/workspace-memory.ts";
import { type MemorySearchDependencies, openMemorySource, searchMemory } from "../views/memory-search.ts";
import { folderForRun } from "../workspace/folders.ts";
import { demandInBounds, isWorkspaceFile } from "../workspace/mentions.ts";
import { pathOf, uriOf } from "../workspace/places.ts";

/** Clears the memory after confirmation, and offers to undo that. */
export async function clearMemory(store: WorkspaceMemory): Promise<void> {
  const { count } = store.state;
  if (count === 0) {
    void vscode.window.showInformationMessage("The memory of this folder is empty.");
    return;
  }
  const clear = "Clear";
  const answer = await vscode.window.showWarningMessage(
    "Clear the memory of this folder?",
    {
      modal: true,
      detail: `${count} memories of runs, notes, pages and files will be removed. You can undo this while this window is open. Runs and files aren't affected.`,
    },
    clear,
  );
  if (answer !== clear) return;
  const undo = await store.clear();
  void vscode.window.showInformationMessage(`${count} memories removed.`, "Undo").then(async (pressed) => {
    if (pressed !== "Undo") return;
    await undo();
    void vscode.window.showInformationMessage("Memories restored.");
  });
}

/** Actions on the memory of the open folder. */
export function memoryActions(parts: MemorySearchDependencies) {
  const memory = async (): Promise<{ readonly folder: string; readonly store: WorkspaceMemory }> => {
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

/** Adds the selection to the memory with its location, or the whole file in pieces if nothing is selected. */
async function addToMemory({ folder, store }: { folder: string; store: WorkspaceMemory }): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) throw new Error("Open a file and select the text to add to the memory.");
  const { document, selection } = editor;
  await demandInBounds([document.uri]);
  const source = nameIn(folder, document.uri);
  const from = (await isWorkspaceFile(document.uri)) ? { sources: [] } : {};
  const text = document.getText(selection);
  if (text.trim() === "") {
    const ids = await ingest(store, { kind: "file", source, text: document.getText(), ...from });
    return tell(`${source} was added to the memory in ${counted(ids.length, "piece")}.`);
  }
  const place = `lines ${selection.start.line + 1} to ${selection.end.line + 1}`;
  await store.add([{ kind: "note", text, source, place, ...from }]);
  return tell(`${source}, ${place}, was added to the memory.`);
}

/** The path inside the folder, or the full path of a file elsewhere. */
function nameIn(folder: string, uri: vscode.Uri): string {
  const root = uriOf(folder);
  const isInside = uri.scheme === root.scheme && uri.authority === root.authority;
  const above = root.path.replace(/\/$/, "");
  return isInside && uri.path.startsWith(`${above}/`) ? uri.path.slice(above.length + 1) : pathOf(uri);
}

async function tell(text: string): Promise<void> {
  void vscode.window.showInformationMessage(text);
}
