import * as vscode from "vscode";
import { changeAt, type LineChange, lineBeside } from "./hunks.ts";
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
  const other = action === "drop" ? (proposal.before ?? "") : proposal.after;
  const change = changeAt(document.getText(), other, lineOf(editor, proposal));
  if (!change) {
    void vscode.window.showInformationMessage(NO_HUNK[action]);
    return;
  }
  await editor.edit((builder) => {
    const { range, text } = editOf(document, change);
    builder.replace(range, text);
  });
}

function editorOf({ uri }: Offered): vscode.TextEditor | undefined {
  return vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
}

/** The cursor's line in the proposal, also when the cursor is on the left side. */
function lineOf(editor: vscode.TextEditor, { before = "" }: Offered): number {
  const focused = vscode.window.activeTextEditor;
  if (!focused || focused.document === editor.document) return editor.selection.active.line;
  return lineBeside(before, editor.document.getText(), focused.selection.active.line);
}

/** Line ends of what is put in become the document's own. */
function editOf(
  document: vscode.TextDocument,
  { start, end, lines }: LineChange,
): { readonly range: vscode.Range; readonly text: string } {
  const texts = lines.map((line) => line.text);
  if (end < document.lineCount)
    return { range: new vscode.Range(start, 0, end, 0), text: texts.map((text) => `${text}\n`).join("") };
  const last = document.lineAt(document.lineCount - 1).range.end;
  if (start === 0)
    return { range: new vscode.Range(new vscode.Position(0, 0), last), text: texts.join("\n") };
  const from = document.lineAt(start - 1).range.end;
  return { range: new vscode.Range(from, last), text: texts.map((text) => `\n${text}`).join("") };
}
