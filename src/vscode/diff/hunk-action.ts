import * as vscode from "vscode";
import { dropHunkAt, lineBeside, restoreHunkAt } from "./hunks.ts";
import { withLineEnd } from "./lines.ts";
import type { Offered } from "./offered.ts";

const NO_HUNK = {
  drop: "There is no change at the cursor to drop. Put the cursor on a changed line of the proposal.",
  restore: "At the cursor the text stands as proposed. Put the cursor where a change was dropped or edited.",
};

const NO_PROPOSAL = "Open a proposed change first: its diff is shown by Review on the proposal's card.";

/** Drops or restores the hunk at the cursor of a proposal's diff, as one edit that can be undone. */
export async function hunkAction(proposal: Offered | undefined, action: "drop" | "restore"): Promise<void> {
  const editor = proposal && editorOf(proposal);
  if (!editor) {
    void vscode.window.showInformationMessage(NO_PROPOSAL);
    return;
  }
  const { document } = editor;
  const { before = "", after } = proposal;
  const line = lineOf(editor, before);
  const wanted =
    action === "drop"
      ? dropHunkAt(before, document.getText(), line)
      : restoreHunkAt(after, document.getText(), line);
  if (wanted === undefined) {
    void vscode.window.showInformationMessage(NO_HUNK[action]);
    return;
  }
  const { range, text } = editTo(document, wanted);
  await editor.edit((builder) => builder.replace(range, text));
}

function editorOf({ uri }: Offered): vscode.TextEditor | undefined {
  return vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
}

/** The cursor's line in the proposal, also when the cursor is on the left side. */
function lineOf(editor: vscode.TextEditor, before: string): number {
  const focused = vscode.window.activeTextEditor;
  if (!focused || focused.document === editor.document) return editor.selection.active.line;
  return lineBeside(before, editor.document.getText(), focused.selection.active.line);
}

/** The edit that makes the document the wanted text and touches nothing of what both have in common. */
function editTo(
  document: vscode.TextDocument,
  wanted: string,
): { readonly range: vscode.Range; readonly text: string } {
  const standing = document.getText();
  const next = withLineEnd(wanted, document.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n");
  const most = Math.min(standing.length, next.length);
  let start = 0;
  while (start < most && standing[start] === next[start]) start++;
  let tail = 0;
  while (tail < most - start && standing.at(-1 - tail) === next.at(-1 - tail)) tail++;
  const range = new vscode.Range(document.positionAt(start), document.positionAt(standing.length - tail));
  return { range, text: next.slice(start, next.length - tail) };
}
