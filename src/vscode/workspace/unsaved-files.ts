import fs from "node:fs";
import { sep } from "node:path";
import { setTimeout } from "node:timers/promises";
import * as vscode from "vscode";

/** True while a file has edits in an editor that are not on the disk. `target` is its real path. */
export function unsaved(target: string): boolean {
  return dirtyDocuments().some(({ path }) => path === target);
}

/** Saves a file's edits as the user would; false when they could not be saved. */
export async function save(target: string): Promise<boolean> {
  const ofTarget = dirtyDocuments().filter(({ path }) => path === target);
  const results = await Promise.all(ofTarget.map(({ document }) => saved(document)));
  return results.every(Boolean);
}

/** A file at or below a path with edits that are not on the disk, if there is one. */
export function unsavedBelow(folder: string): string | undefined {
  return dirtyDocuments().find(({ path }) => path === folder || path.startsWith(folder + sep))?.path;
}

/** Files with edits that are not on the disk, by their real paths, under whatever name they were opened. */
function dirtyDocuments() {
  const { textDocuments, notebookDocuments } = vscode.workspace;
  return [...textDocuments, ...notebookDocuments]
    .filter(({ uri, isDirty }) => isDirty && uri.scheme === "file")
    .map((document) => ({ document, path: realPath(document.uri.fsPath) }));
}

function realPath(path: string): string {
  try {
    return fs.realpathSync.native(path);
  } catch {
    return path;
  }
}

/** How long to wait after each try, in milliseconds. */
const WAITS = [100, 200, 400, 800, 1600];

/** Saves an open file; false when it could not be saved. While the editor is busy with a save of its own it refuses another, so that is waited for. */
export async function saved(document: vscode.TextDocument | vscode.NotebookDocument): Promise<boolean> {
  for (const wait of WAITS) {
    if (!document.isDirty || (await document.save())) break;
    await setTimeout(wait);
  }
  return !document.isDirty;
}
