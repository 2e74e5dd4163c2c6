import * as vscode from "vscode";
import { findFirstChangedLine } from "../../editor/review/hunks.ts";
import { convertPathToUri } from "../workspace/places.ts";
import type { OfferedDiff } from "./proposal-uri.ts";

/**
 * Shows the file that an approved change wrote in the column of its diff, at the first change. `written` is the
 * accepted text. Returns the file.
 */
export async function showFile(
  { target, before = "", notebook }: OfferedDiff,
  written: string,
  { diff, isFocusOutside }: { readonly diff: vscode.Tab; readonly isFocusOutside: boolean },
): Promise<vscode.Uri> {
  const file = convertPathToUri(target);
  const line = notebook ? undefined : findFirstChangedLine(before, written);
  const selection = line === undefined ? {} : { selection: new vscode.Range(line, 0, line, 0) };
  if (isOnTop(file)) {
    if (line !== undefined) reveal(file, line);
    return file;
  }
  const hadFocus = diff.isActive && diff.group.isActive && !isFocusOutside;
  const options: vscode.TextDocumentShowOptions = {
    viewColumn: diff.group.viewColumn,
    preview: true,
    preserveFocus: !hadFocus,
    ...selection,
  };
  // Fails where the file was removed again; the diff closes all the same.
  await vscode.commands.executeCommand("vscode.open", file, options).then(undefined, () => undefined);
  return file;
}

/** True if the front tab of a group shows the file itself. */
function isOnTop(file: vscode.Uri): boolean {
  return vscode.window.tabGroups.all.some(({ activeTab }) => {
    const input = activeTab?.input;
    const shown =
      input instanceof vscode.TabInputText || input instanceof vscode.TabInputNotebook ? input.uri : undefined;
    return shown?.toString() === file.toString();
  });
}

/** Scrolls to the change in the editors that show the file, without moving their cursors. */
function reveal(file: vscode.Uri, line: number): void {
  for (const editor of vscode.window.visibleTextEditors)
    if (editor.document.uri.toString() === file.toString())
      editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
