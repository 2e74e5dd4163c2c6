import fs from "node:fs";
import { sep } from "node:path";
import { setTimeout } from "node:timers/promises";
import * as vscode from "vscode";

/** True while a file has unsaved edits. `target` is its real path. */
export function unsaved(target: string): boolean {
  return dirtyDocuments().some(({ path }) => path === target);
}

/** Saves a file's edits; false when that isn't possible. */
export async function save(target: string): Promise<boolean> {
  const ofTarget = dirtyDocuments().filter(({ path }) => path === target);
  const results = await Promise.all(ofTarget.map(({ document }) => saved(document)));
  return results.every(Boolean);
}

/** A file with unsaved edits at or below a path, if any. */
export function unsavedBelow(folder: string): string | undefined {
  return dirtyDocuments().find(({ path }) => path === folder || path.startsWith(folder + sep))?.path;
}

/** Files with unsaved edits by their real paths, whatever name they were opened under. */
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
