import { setTimeout } from "node:timers/promises";
import type * as vscode from "vscode";

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
