import * as vscode from "vscode";
import { foldersOfRun } from "../../node/files/roots.ts";
import type { WorkspaceFolder } from "../../schema/run-values.ts";

/** The reason why no run can start in this window, as a sentence; undefined when one can. */
export function placeProblem(): string | undefined {
  if (!vscode.workspace.isTrusted) {
    return "This folder is in Restricted Mode, so the agent can't run here. Trust it first if you know who wrote it.";
  }
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length === 0)
    return "Open a folder first: the agent works on the files of an open folder. The demo doesn't need one.";
  if (!folders.some((folder) => folder.uri.scheme === "file")) {
    return "The agent works on real files, so it needs a folder on disk. This one is virtual.";
  }
  return undefined;
}

/** The open folders on disk. */
export function openFolders(): readonly { readonly name: string; readonly path: string }[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter((folder) => folder.uri.scheme === "file")
    .map((folder) => ({ name: folder.name, path: folder.uri.fsPath }));
}

/** The current folders of a run, its own first; `named` are those that its prompt names. */
export function foldersNow(folder: string, named?: readonly WorkspaceFolder[]): readonly WorkspaceFolder[] {
  return foldersOfRun(folder, openFolders(), named);
}

/** The default folder of a new run: the only one, or that of the active editor; undefined when the user has to pick. */
export function likelyFolder(): string | undefined {
  const folders = openFolders();
  const [only] = folders;
  if (folders.length === 1 && only) return only.path;
  const active = vscode.window.activeTextEditor?.document.uri;
  const ofEditor = active && vscode.workspace.getWorkspaceFolder(active);
  return ofEditor?.uri.scheme === "file" ? ofEditor.uri.fsPath : undefined;
}

/** The folder of a new run: the requested one, the only one, that of the active editor, or the user's pick. */
export async function folderForRun(wanted?: vscode.Uri): Promise<string> {
  const problem = placeProblem();
  if (problem !== undefined) throw new Error(problem);
  const folders = openFolders();
  if (wanted) {
    const found = folders.find((folder) => folder.path === wanted.fsPath);
    if (!found) throw new Error(`${wanted.fsPath} is not one of the open folders. Open it first.`);
    return found.path;
  }
  const likely = likelyFolder();
  if (likely !== undefined) return likely;
  const picked = await vscode.window.showWorkspaceFolderPick({
    placeHolder: "Which folder should the agent work in?",
  });
  if (!picked) throw new vscode.CancellationError();
  return picked.uri.fsPath;
}
