import { basename } from "node:path";
import * as vscode from "vscode";
import { findUnsavedFileText, type UnsavedText, type UnsavedTexts } from "../../core/ports/unsaved-texts.ts";
import { type TextFile, WorkspaceError } from "../../core/ports/workspace.ts";
import { sha256 } from "../../disk/sha256.ts";
import { isWithin } from "../../runtime/unsaved-changes.ts";
import { displayText, type Sentence } from "../../texts/display-text.ts";
import { createSmallestEdit } from "./text-edits.ts";
import { convertToTextFile, findUnsavedFile, listDirtyFiles } from "./unsaved-files.ts";

/** The texts in this window's editors that aren't saved. */
export const unsavedTexts: UnsavedTexts = {
  listTextsBelow: (folder) => {
    const found = listDirtyFiles(vscode.workspace.textDocuments).filter(({ path }) => isWithin(path, folder));
    const first = new Map(found.toReversed().map((one) => [one.path, one.document]));
    return [...first].map(([path, document]) => createUnsavedText(path, document));
  },
};

function createUnsavedText(path: string, document: vscode.TextDocument): UnsavedText {
  return {
    path,
    read: () => {
      const file = convertToTextFile(document);
      return { kind: "text", file, version: computeVersion(file.text) };
    },
    replace: (version, file) => replace(path, version, file),
  };
}

async function replace(path: string, version: string, { text }: TextFile): Promise<boolean> {
  const [found, ...others] = listDirtyFiles(vscode.workspace.textDocuments).filter((one) => one.path === path);
  if (others.length > 0)
    throw new WorkspaceError(
      `${basename(path)} is open under ${others.length + 1} names, with edits that are not saved. Nothing was changed. Ask the user to save it, then try again.`,
    );
  if (!found || computeVersion(found.document.getText()) !== version) return false;
  const { document } = found;
  if (!(await apply(document, [createSmallestEdit(document, text), ...createLineEndEdits(document, text)])))
    return false;
  if (document.getText() === text) return true;
  throw new WorkspaceError(
    `The editor didn't take the change of ${basename(path)} as it was approved. Read the file before you change it again.`,
  );
}

/** Applies one undoable edit; false if the document was changed since the edit was created. */
async function apply(document: vscode.TextDocument, edits: readonly vscode.TextEdit[]): Promise<boolean> {
  const editor = vscode.window.visibleTextEditors.find((one) => one.document === document);
  // In the active editor, VS Code reduces a WorkspaceEdit to the characters that differ, and cuts surrogate pairs in two.
  if (editor && edits.some(({ newText }) => /[\uD800-\uDFFF]/.test(newText)))
    return editor.edit((builder) => {
      for (const { range, newText, newEol } of edits)
        if (newEol === undefined) builder.replace(range, newText);
        else builder.setEndOfLine(newEol);
    });
  const edit = new vscode.WorkspaceEdit();
  edit.set(document.uri, [...edits]);
  return vscode.workspace.applyEdit(edit);
}

/** Edits for a text whose line ends all differ from the document's. */
function createLineEndEdits({ eol }: vscode.TextDocument, text: string): readonly vscode.TextEdit[] {
  const { CRLF, LF } = vscode.EndOfLine;
  const wanted = !text.includes("\n") ? eol : /(?<!\r)\n/.test(text) ? LF : CRLF;
  return wanted === eol ? [] : [vscode.TextEdit.setEndOfLine(wanted)];
}

function computeVersion(text: string): string {
  return `editor:${sha256(text)}`;
}

/** Why a path can't be undone now, as a sentence. The text of a file that isn't saved is undone in its editor. */
export function explainUndoProblem(path: string): Sentence | undefined {
  if (findUnsavedFileText(unsavedTexts, path) || findUnsavedFile(path) === undefined) return undefined;
  return displayText("trouble.unsavedInEditor");
}
