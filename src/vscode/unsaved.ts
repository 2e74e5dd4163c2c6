import fs from "node:fs";
import * as vscode from "vscode";

/** True while a file has edits in an editor that are not on the disk. `target` is its real path. */
export function unsaved(target: string): boolean {
  return openAt(target).some((document) => document.isDirty);
}

/** Saves a file's edits as the user would; false when it could not be saved. */
export async function save(target: string): Promise<boolean> {
  const saved = await Promise.all(
    openAt(target).map((document) => (document.isDirty ? document.save() : true)),
  );
  return saved.every(Boolean);
}

/** What is open of a file, under whatever name it was opened. */
function openAt(target: string): readonly (vscode.TextDocument | vscode.NotebookDocument)[] {
  return [...vscode.workspace.textDocuments, ...vscode.workspace.notebookDocuments].filter(
    ({ uri, isDirty }) => uri.scheme === "file" && isDirty && realPath(uri.fsPath) === target,
  );
}

function realPath(path: string): string {
  try {
    return fs.realpathSync.native(path);
  } catch {
    return path;
  }
}
