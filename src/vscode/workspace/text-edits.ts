import * as vscode from "vscode";
import { unifyLineEnds } from "../../editor/review/line-ends.ts";
import { findSmallestReplacement } from "../../editor/review/text-edit.ts";

/** The smallest edit that turns the document into the wanted text, with the document's own line ends. */
export function createSmallestEdit(document: vscode.TextDocument, wanted: string): vscode.TextEdit {
  const eol = document.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n";
  const { start, end, text } = findSmallestReplacement(document.getText(), unifyLineEnds(wanted, eol));
  return vscode.TextEdit.replace(new vscode.Range(document.positionAt(start), document.positionAt(end)), text);
}
