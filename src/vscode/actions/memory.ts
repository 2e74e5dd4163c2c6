import * as vscode from "vscode";
import { describeMemorySource } from "../../core/events/memory-source.ts";
import { ingestDocument } from "../../memory/recall/documents.ts";
import type { NewMemory } from "../../memory/store/memory-item.ts";
import type { WorkspaceMemory } from "../../memory/workspace-memory.ts";
import { fail, getErrorText } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import { showError } from "../host/notifications.ts";
import { chooseEmbedding, type EmbeddingChoiceParts } from "../models/embedding-choice.ts";
import type { Memories } from "../models/memories.ts";
import {
  type MemorySearchDependencies,
  openMemorySource,
  searchMemory,
  showWholeMemory,
} from "../views/memory-search.ts";
import { chooseMemoryFolder, formatTitleWithFolder, isOpenFolder, openFolderName } from "../workspace/folders.ts";
import { demandInBounds, isWorkspaceFile } from "../workspace/mentions.ts";
import { convertPathToUri, convertUriToPath } from "../workspace/places.ts";
import { type AddFolderDependencies, addFolder, demandWriting } from "./add-folder.ts";

/** Clears the memory of a folder after confirmation, and offers to undo that. False if the user doesn't want it. */
export async function clearMemory(store: WorkspaceMemory, place: string): Promise<boolean> {
  await demandWriting(store);
  const { repositoryNotes, shared } = store.state;
  const folder = openFolderName(place);
  const count = Math.max(0, store.state.count - repositoryNotes);
  const clear = t("runs.memory.clearButton");
  const sent = shared ? [t("runs.memory.sharedGo", { server: shared.server })] : [];
  const stay = repositoryNotes > 0 ? [t("runs.memory.notesStay", { count: repositoryNotes })] : [];
  if (count === 0 && (!shared || store.state.count === 0)) {
    void vscode.window.showInformationMessage(stay[0] ?? t("runs.memory.empty", { folder }));
    return true;
  }
  const answer = await vscode.window.showWarningMessage(
    t("runs.memory.ask", { folder }),
    {
      modal: true,
      detail: [t("runs.memory.askDetail", { count }), ...sent, ...stay].join("\n\n"),
    },
    clear,
  );
  if (answer !== clear) return false;
  const undo = await store.clear();
  const text = t("runs.memory.cleared", { count });
  offerUndo(text, undo).catch(showError);
  return true;
}

async function offerUndo(text: string, undo: () => Promise<void>): Promise<void> {
  const back = t("actions.undo.undoButton");
  if ((await vscode.window.showInformationMessage(text, back)) !== back) return;
  await undo();
  await tell(t("runs.memory.restored"));
}

/** Actions on the memory of the open folder. */
export function createMemoryActions(
  parts: MemorySearchDependencies &
    Omit<AddFolderDependencies, "clear"> &
    EmbeddingChoiceParts & { readonly memories: Memories },
) {
  const openMemory = async (given?: unknown): Promise<{ readonly folder: string; readonly store: WorkspaceMemory }> => {
    const folder = typeof given === "string" && isOpenFolder(given) ? given : await chooseMemoryFolder();
    return { folder, store: await parts.memories.open(folder) };
  };
  const addPicked = (given?: vscode.Uri) => addFolder({ ...parts, clear: clearMemory }, given);
  return {
    searchMemory: async () => {
      const { folder, store } = await openMemory();
      const title = formatTitleWithFolder(folder, t("runs.memory.title"));
      const item = await searchMemory(store, {
        title,
        addFolder: () => addPicked(),
        loadRunNames: async () => new Map((await parts.library.list()).map((run) => [run.id, run.title ?? run.task])),
        showWhole: (found) => showWholeMemory(parts, found),
      });
      if (item) await openMemorySource(parts, folder, item);
    },
    addToMemory: async () => addToMemory(await openMemory()),
    saveNote: async (given?: unknown) => saveNote(await openMemory(given)),
    shareMemory: async () => parts.memories.share(await chooseMemoryFolder()),
    addFolderToMemory: (given?: unknown) => addPicked(given instanceof vscode.Uri ? given : undefined),
    chooseEmbedding: () => chooseEmbedding(parts),
    clearMemory: async () => {
      const folder = await chooseMemoryFolder();
      const store = await parts.memories.open(folder).catch(ignoreNewerMemory);
      if (store) await clearMemory(store, folder);
      else await startOver(parts.memories, folder);
    },
  };
}

/** Ignores the error of a memory from a newer version. */
function ignoreNewerMemory(error: unknown): undefined {
  const text = getErrorText(error);
  if (typeof text === "string" || text.code !== "trouble.memoryFromNewerVersion") throw error;
}

/** Begins an empty memory after confirmation, and keeps the folder of the one that this version can't read. */
export async function startOver(memories: Pick<Memories, "setAside">, place: string): Promise<void> {
  const folder = openFolderName(place);
  const go = t("runs.memory.startOverButton");
  const answer = await vscode.window.showWarningMessage(
    t("runs.memory.asideAsk", { folder }),
    { modal: true, detail: t("runs.memory.asideDetail") },
    go,
  );
  if (answer !== go) return;
  const path = vscode.workspace.asRelativePath(await memories.setAside(place), false);
  return tell(t("runs.memory.asideDone", { folder, path }));
}

/** Adds the selection to the memory with its location, or the whole file in pieces if nothing is selected. */
async function addToMemory({ folder, store }: { folder: string; store: WorkspaceMemory }): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return fail("runs.memory.noEditor");
  const { document, selection } = editor;
  await demandInBounds([document.uri]);
  const source = getPathInFolder(folder, document.uri);
  const from = (await isWorkspaceFile(document.uri)) ? { sources: [] } : {};
  const text = document.getText(selection);
  if (text.trim() === "") {
    const ids = await ingestDocument(store, { kind: "file", source, text: document.getText(), ...from });
    return tell(t("runs.memory.addedFile", { source, count: ids.length }));
  }
  const place = `lines ${selection.start.line + 1} to ${findLastSelectedLine(selection)}`;
  await store.add([{ kind: "note", text, source, place, ...from }]);
  const added = describeMemorySource(`${source}, ${place}`);
  const { server } = store.state.shared ?? {};
  return tell(
    server === undefined
      ? t("runs.memory.added", { source: added })
      : t("runs.memory.addedForTeam", { source: added, server }),
  );
}

/** A selection of whole lines ends at the beginning of the next line. */
function findLastSelectedLine({ start, end }: vscode.Selection): number {
  return end.character === 0 && end.line > start.line ? end.line : end.line + 1;
}

/** Saves the selection or the user's text as a file of the repository, which others get, and opens it. */
async function saveNote({ folder, store }: { folder: string; store: WorkspaceMemory }): Promise<void> {
  const note = (await getSelectedNote()) ?? (await askNote(formatTitleWithFolder(folder, t("runs.memory.noteTitle"))));
  if (!note) return;
  const file = await store.saveNote(note.text, note.sources);
  await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
  return tell(t("runs.memory.noteSaved", { file: vscode.workspace.asRelativePath(file) }));
}

type OwnNote = Pick<NewMemory, "text" | "sources">;

async function getSelectedNote(): Promise<OwnNote | undefined> {
  const editor = vscode.window.activeTextEditor;
  const text = editor?.document.getText(editor.selection) ?? "";
  if (!editor || text.trim() === "") return undefined;
  await demandInBounds([editor.document.uri]);
  return { text, ...((await isWorkspaceFile(editor.document.uri)) ? { sources: [] } : {}) };
}

async function askNote(title: string): Promise<OwnNote | undefined> {
  const text = await vscode.window.showInputBox({
    title,
    prompt: t("runs.memory.notePrompt"),
    ignoreFocusOut: true,
    validateInput: (value) => (value.trim() === "" ? t("runs.memory.noNote") : undefined),
  });
  return text === undefined || text.trim() === "" ? undefined : { text, sources: [] };
}

/** The path inside the folder, or the full path of a file elsewhere. */
function getPathInFolder(folder: string, uri: vscode.Uri): string {
  const root = convertPathToUri(folder);
  const isInside = uri.scheme === root.scheme && uri.authority === root.authority;
  const above = root.path.replace(/\/$/, "");
  return isInside && uri.path.startsWith(`${above}/`) ? uri.path.slice(above.length + 1) : convertUriToPath(uri);
}

async function tell(text: string): Promise<void> {
  void vscode.window.showInformationMessage(text);
}
