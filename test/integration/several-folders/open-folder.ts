import * as vscode from "vscode";

/** Adds a folder to the workspace, which may not be the first. The result removes it. */
export async function openFolder(uri: vscode.Uri, name: string): Promise<() => Promise<void>> {
  const open = vscode.workspace.workspaceFolders ?? [];
  await changed(() => vscode.workspace.updateWorkspaceFolders(open.length, 0, { uri, name }));
  return async () => {
    const index = (vscode.workspace.workspaceFolders ?? []).findIndex(
      (folder) => folder.uri.toString() === uri.toString(),
    );
    if (index > 0) await changed(() => vscode.workspace.updateWorkspaceFolders(index, 1));
  };
}

async function changed(change: () => boolean): Promise<void> {
  const heard = new Promise<void>((resolve) => {
    const listening = vscode.workspace.onDidChangeWorkspaceFolders(() => {
      listening.dispose();
      resolve();
    });
  });
  if (!change()) throw new Error("The folders of this workspace can't be changed.");
  await heard;
}
