import * as vscode from "vscode";

/** Knows whether somebody is typing in an editor. */
export interface Typing extends vscode.Disposable {
  /** Milliseconds since the last key that changed a text. */
  quietMs(): number;
}

export function watchTyping(): Typing {
  let last = Number.NEGATIVE_INFINITY;
  const watching = vscode.workspace.onDidChangeTextDocument(({ document }) => {
    // A file that was changed on the disk, or saved, comes in as a change too, but it is not dirty then.
    if (document.isDirty && document === vscode.window.activeTextEditor?.document) last = Date.now();
  });
  return { quietMs: () => Date.now() - last, dispose: () => watching.dispose() };
}
