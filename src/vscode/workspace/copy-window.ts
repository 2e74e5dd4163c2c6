import { relative, sep } from "node:path";
import * as vscode from "vscode";
import { isBelow } from "../../disk/below.ts";
import { resolveRealPath } from "../../node/files/real-path.ts";
import { markCopyWindow, mustCopyWindowClose, removeWindowMark } from "../../runtime/isolated/copy-window.ts";
import { noteOpenedCopy } from "./folders.ts";

/** How often the window looks whether its copy is still there, in milliseconds. */
const LOOK_MS = 1_000;

/** A page in a browser can't close itself, so it closes its folder. */
const CLOSE = {
  [vscode.UIKind.Desktop]: "workbench.action.closeWindow",
  [vscode.UIKind.Web]: "workbench.action.closeFolder",
} as const;

/** In a window that shows the copy of an isolated run: no run starts there, and it closes with the copy. */
export async function watchOpenedCopy(copies: string, subscriptions: vscode.Disposable[]): Promise<void> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (folder?.uri.scheme !== "file") return;
  const [path, root] = await Promise.all([folder.uri.fsPath, copies].map(resolveRealPath));
  if (path === undefined || root === undefined || !isBelow(path, root)) return;
  const [run = ""] = relative(root, path).split(sep);
  noteOpenedCopy();
  await markCopyWindow(copies, run);
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      // The user may keep it open because of unsaved files; then it's asked again.
      if (
        (await mustCopyWindowClose(copies, run)) &&
        (await closeEditors()) &&
        (await mustCopyWindowClose(copies, run))
      )
        await vscode.commands.executeCommand(CLOSE[vscode.env.uiKind]);
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS);
  subscriptions.push({
    dispose: () => {
      clearInterval(timer);
      removeWindowMark(copies, run);
    },
  });
}

/** A page in a browser closes its folder without a question about unsaved files, so their editors are closed first, which asks. */
async function closeEditors(): Promise<boolean> {
  if (vscode.env.uiKind === vscode.UIKind.Desktop) return true;
  await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  return vscode.workspace.textDocuments.every(({ isDirty }) => !isDirty);
}
