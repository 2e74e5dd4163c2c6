import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import * as vscode from "vscode";
import { isUriPath } from "../../core/base/uri-path.ts";
import type { TextFile } from "../../core/ports/workspace.ts";
import { readFileBytes } from "../../disk/plain-file.ts";
import { sha256 } from "../../disk/sha256.ts";
import type { UnsavedFiles } from "../../editor/review/card-handlers.ts";
import { createFileReplacer } from "../../node/files/atomic-write.ts";
import { parseEditorEncoding } from "../../node/files/editor-encodings.ts";
import { encodeText } from "../../node/files/text-encoding.ts";
import { isWithin } from "../../runtime/unsaved-changes.ts";
import { fail } from "../../texts/display-text.ts";
import { convertUriToPath } from "./places.ts";

/** The files with unsaved edits in this window, text files and notebooks. */
export const unsavedFiles: UnsavedFiles = {
  listUnsavedBelow: (folders) => [
    ...new Set(
      listDirtyDocuments()
        .map(({ path }) => path)
        .filter((path) => folders.some((folder) => isWithin(path, folder))),
    ),
  ],
  save: async (target) => {
    const results = await Promise.all(findDirtyDocuments(target).map(saveDocument));
    return results.every(Boolean);
  },
  saveAsIs: async (target) => {
    for (const document of findDirtyDocuments(target)) await saveAsIs(document, target);
  },
};

/** The files that were saved in this window. */
export interface SavesInEditor {
  /** Real paths of the files saved since a time in milliseconds. */
  findSavedSince(time: number): ReadonlySet<string>;
}

/** Watches saves in this window from now on. */
export function watchSavesInEditor(subscriptions: vscode.Disposable[]): SavesInEditor {
  const saves = new Map<string, number>();
  const note = ({ uri }: { readonly uri: vscode.Uri }): void => {
    if (uri.scheme !== "file") return;
    for (const path of [uri.fsPath, tryRealPath(uri.fsPath)]) saves.set(path, Date.now());
  };
  subscriptions.push(vscode.workspace.onDidSaveTextDocument(note), vscode.workspace.onDidSaveNotebookDocument(note));
  return {
    findSavedSince: (time) => new Set([...saves].flatMap(([path, at]) => (at >= time ? [path] : []))),
  };
}

function tryRealPath(path: string): string {
  try {
    return fs.realpathSync.native(path);
  } catch {
    return path;
  }
}

/** Calls back when a file gets its first unsaved edits, or no longer has any. */
export function onUnsavedChange(listener: () => void): vscode.Disposable {
  const dirty = new Set(listDirtyDocuments().map(({ document }) => document.uri.toString()));
  const look = ({ uri, isDirty }: Pick<vscode.TextDocument, "uri" | "isDirty">): void => {
    const name = uri.toString();
    if (dirty.has(name) === isDirty) return;
    if (isDirty) dirty.add(name);
    else dirty.delete(name);
    listener();
  };
  const handleClose = ({ uri }: Pick<vscode.TextDocument, "uri">): void => look({ uri, isDirty: false });
  const { workspace } = vscode;
  return vscode.Disposable.from(
    workspace.onDidChangeTextDocument(({ document }) => look(document)),
    workspace.onDidSaveTextDocument(look),
    workspace.onDidCloseTextDocument(handleClose),
    workspace.onDidChangeNotebookDocument(({ notebook }) => look(notebook)),
    workspace.onDidSaveNotebookDocument(look),
    workspace.onDidCloseNotebookDocument(handleClose),
  );
}

/** A file with unsaved edits at or below a path, if any. */
export function findUnsavedFile(folder: string): string | undefined {
  return listDirtyDocuments().find(({ path }) => isWithin(path, folder))?.path;
}

/** True for a notebook with unsaved edits, by its real path. */
export function isUnsavedNotebook(target: string): boolean {
  return listDirtyFiles(vscode.workspace.notebookDocuments).some(({ path }) => path === target);
}

/** Files with unsaved edits by their real paths, whatever name they were opened under; those of other schemes by their URI paths. */
export function listDirtyFiles<D extends vscode.TextDocument | vscode.NotebookDocument>(
  documents: readonly D[],
): readonly { readonly document: D; readonly path: string }[] {
  return documents
    .filter(({ isDirty }) => isDirty)
    .map((document) => ({ document, path: resolveRealPath(convertUriToPath(document.uri)) }));
}

/** A document's text, in the encoding that a save would use. */
export function convertToTextFile(document: vscode.TextDocument): TextFile {
  const eol = document.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n";
  return { text: document.getText(), eol, ...parseEditorEncoding(document.encoding) };
}

function listDirtyDocuments() {
  const { textDocuments, notebookDocuments } = vscode.workspace;
  return listDirtyFiles([...textDocuments, ...notebookDocuments]);
}

function findDirtyDocuments(target: string): readonly (vscode.TextDocument | vscode.NotebookDocument)[] {
  return listDirtyDocuments()
    .filter(({ path }) => path === target)
    .map(({ document }) => document);
}

/** The real path of a file, even if the file no longer exists. */
function resolveRealPath(path: string): string {
  if (isUriPath(path)) return path;
  try {
    return fs.realpathSync.native(path);
  } catch {
    return dirname(path) === path ? path : join(resolveRealPath(dirname(path)), basename(path));
  }
}

/**
 * Saves a document with its current text. VS Code's API can't save without formatters and save participants, so their changes are reverted
 * on the disk, which the editor then shows.
 */
async function saveAsIs(document: vscode.TextDocument | vscode.NotebookDocument, target: string): Promise<void> {
  const wanted = "getText" in document ? convertToTextFile(document) : undefined;
  if (!(await saveDocument(document))) fail("trouble.notSavedFile", { file: basename(target) });
  if (!wanted || !("getText" in document) || document.getText() === wanted.text) return;
  const bytes = await encodeText(wanted);
  if (document.uri.scheme === "file")
    await createFileReplacer().put(target, sha256(await readFileBytes(target)), bytes);
  else await vscode.workspace.fs.writeFile(document.uri, bytes);
  for (let waited = 0; document.getText() !== wanted.text && waited < LONGEST_RELOAD_MS; waited += LOOK_MS)
    await setTimeout(LOOK_MS);
}

/** Time for the editor to show the disk's content, in milliseconds. */
const LONGEST_RELOAD_MS = 5_000;
const LOOK_MS = 25;

/** How long to wait after each try, in milliseconds. */
const WAITS = [100, 200, 400, 800, 1600];

/** Saves an open file; false if that fails. The editor refuses a save during its own, so this tries several times. */
export async function saveDocument(document: vscode.TextDocument | vscode.NotebookDocument): Promise<boolean> {
  for (const wait of WAITS) {
    if (!document.isDirty || (await document.save())) break;
    await setTimeout(wait);
  }
  return !document.isDirty;
}
