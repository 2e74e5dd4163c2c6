import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import * as vscode from "vscode";
import { isUriPath } from "../../core/base/uri-path.ts";
import type { TextFile } from "../../core/ports/workspace.ts";
import { fileReplacer } from "../../node/files/atomic-write.ts";
import { editorEncoding } from "../../node/files/editor-encodings.ts";
import { encodeText } from "../../node/files/text-encoding.ts";
import { fileBytes } from "../../plain-file.ts";
import type { UnsavedFiles } from "../../review/card-handlers.ts";
import { isWithin } from "../../runtime/unsaved-changes.ts";
import { sha256 } from "../../sha256.ts";
import { fail } from "../../texts/display-text.ts";
import { pathOf } from "./places.ts";

/** The files with unsaved edits in this window, text files and notebooks. */
export const unsavedFiles: UnsavedFiles = {
  below: (folders) => [
    ...new Set(
      dirtyDocuments()
        .map(({ path }) => path)
        .filter((path) => folders.some((folder) => isWithin(path, folder))),
    ),
  ],
  save: async (target) => {
    const results = await Promise.all(documentsOf(target).map(saved));
    return results.every(Boolean);
  },
  saveAsIs: async (target) => {
    for (const document of documentsOf(target)) await saveAsIs(document, target);
  },
};

/** The files that were saved in this window. */
export interface SavesInEditor {
  /** Real paths of those saved since a time in milliseconds. */
  since(time: number): ReadonlySet<string>;
}

/** Follows what is saved in this window from now on. */
export function savesInEditor(subscriptions: vscode.Disposable[]): SavesInEditor {
  const saves = new Map<string, number>();
  const note = ({ uri }: { readonly uri: vscode.Uri }): void => {
    if (uri.scheme !== "file") return;
    for (const path of [uri.fsPath, realPathNow(uri.fsPath)]) saves.set(path, Date.now());
  };
  subscriptions.push(
    vscode.workspace.onDidSaveTextDocument(note),
    vscode.workspace.onDidSaveNotebookDocument(note),
  );
  return { since: (time) => new Set([...saves].flatMap(([path, at]) => (at >= time ? [path] : []))) };
}

function realPathNow(path: string): string {
  try {
    return fs.realpathSync.native(path);
  } catch {
    return path;
  }
}

/** Calls back when a file gets edits that aren't saved, or has none any more. */
export function onUnsavedChange(listener: () => void): vscode.Disposable {
  const dirty = new Set(dirtyDocuments().map(({ document }) => document.uri.toString()));
  const look = ({ uri, isDirty }: Pick<vscode.TextDocument, "uri" | "isDirty">): void => {
    const name = uri.toString();
    if (dirty.has(name) === isDirty) return;
    if (isDirty) dirty.add(name);
    else dirty.delete(name);
    listener();
  };
  const closed = ({ uri }: Pick<vscode.TextDocument, "uri">): void => look({ uri, isDirty: false });
  const { workspace } = vscode;
  return vscode.Disposable.from(
    workspace.onDidChangeTextDocument(({ document }) => look(document)),
    workspace.onDidSaveTextDocument(look),
    workspace.onDidCloseTextDocument(closed),
    workspace.onDidChangeNotebookDocument(({ notebook }) => look(notebook)),
    workspace.onDidSaveNotebookDocument(look),
    workspace.onDidCloseNotebookDocument(closed),
  );
}

/** A file with unsaved edits at or below a path, if any. */
export function unsavedBelow(folder: string): string | undefined {
  return dirtyDocuments().find(({ path }) => isWithin(path, folder))?.path;
}

/** True for a notebook with unsaved edits, by its real path. */
export function isUnsavedNotebook(target: string): boolean {
  return dirtyFiles(vscode.workspace.notebookDocuments).some(({ path }) => path === target);
}

/** Files with unsaved edits by their real paths, whatever name they were opened under; those of other schemes by their URI paths. */
export function dirtyFiles<D extends vscode.TextDocument | vscode.NotebookDocument>(
  documents: readonly D[],
): readonly { readonly document: D; readonly path: string }[] {
  return documents
    .filter(({ isDirty }) => isDirty)
    .map((document) => ({ document, path: realPath(pathOf(document.uri)) }));
}

/** A document's text, in the encoding that a save would use. */
export function textFileOf(document: vscode.TextDocument): TextFile {
  const eol = document.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n";
  return { text: document.getText(), eol, ...editorEncoding(document.encoding) };
}

function dirtyDocuments() {
  const { textDocuments, notebookDocuments } = vscode.workspace;
  return dirtyFiles([...textDocuments, ...notebookDocuments]);
}

function documentsOf(target: string): readonly (vscode.TextDocument | vscode.NotebookDocument)[] {
  return dirtyDocuments()
    .filter(({ path }) => path === target)
    .map(({ document }) => document);
}

/** The real path of a file, also of one that is gone. */
function realPath(path: string): string {
  if (isUriPath(path)) return path;
  try {
    return fs.realpathSync.native(path);
  } catch {
    return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path));
  }
}

/**
 * Saves a document with the text that it has. VS Code's API can't save without formatters and save participants, so
 * whatever they changed is written back, which the editor then shows.
 */
async function saveAsIs(
  document: vscode.TextDocument | vscode.NotebookDocument,
  target: string,
): Promise<void> {
  const wanted = "getText" in document ? textFileOf(document) : undefined;
  if (!(await saved(document))) fail("trouble.notSavedFile", { file: basename(target) });
  if (!wanted || !("getText" in document) || document.getText() === wanted.text) return;
  const bytes = await encodeText(wanted);
  if (document.uri.scheme === "file")
    await fileReplacer().put(target, sha256(await fileBytes(target)), bytes);
  else await vscode.workspace.fs.writeFile(document.uri, bytes);
  for (let waited = 0; document.getText() !== wanted.text && waited < LONGEST_RELOAD_MS; waited += LOOK_MS)
    await setTimeout(LOOK_MS);
}

/** The editor shows what is on the disk after a moment. */
const LONGEST_RELOAD_MS = 5_000;
const LOOK_MS = 25;

/** How long to wait after each try, in milliseconds. */
const WAITS = [100, 200, 400, 800, 1600];

/**
 * Saves an open file; false when that isn't possible. The editor refuses a save while it is busy with its own, so this
 * tries several times.
 */
export async function saved(document: vscode.TextDocument | vscode.NotebookDocument): Promise<boolean> {
  for (const wait of WAITS) {
    if (!document.isDirty || (await document.save())) break;
    await setTimeout(wait);
  }
  return !document.isDirty;
}
