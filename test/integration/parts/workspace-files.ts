import fs from "node:fs";
import path from "node:path";
import * as vscode from "vscode";

/** The real path of a file of the open workspace, whether or not it is there. */
export function inWorkspace(name: string): string {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (!folder) throw new Error("The test host has no workspace open.");
  return path.join(fs.realpathSync.native(folder.uri.fsPath), name);
}

/** Writes a file of the open workspace and returns its real path. */
export function writeInWorkspace(name: string, content: string | Uint8Array): string {
  const file = inWorkspace(name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
  return file;
}

/** Waits until something holds, as long as a test may take. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 800; tries++) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`In vain waited until ${what}.`);
}

/** Closes all editors, with what was typed into them, and everything else that is open. */
export async function closeEverything(): Promise<void> {
  for (const document of vscode.workspace.textDocuments)
    if (document.isDirty) {
      await vscode.window.showTextDocument(document);
      await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    }
  await vscode.commands.executeCommand("workbench.action.closeAllEditors");
}
