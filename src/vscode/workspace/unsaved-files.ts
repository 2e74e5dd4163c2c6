import fs from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { setTimeout } from "node:timers/promises";
import * as vscode from "vscode";
import type { UnsavedText, UnsavedTexts } from "../../core/ports/unsaved-texts.ts";
import { type TextFile, WorkspaceError } from "../../core/ports/workspace.ts";
import { editorEncoding } from "../../node/files/editor-encodings.ts";
import { withLineEnd } from "../../review/line-ends.ts";
import { smallestReplacement } from "../../review/text-edit.ts";
import { sha256 } from "../../sha256.ts";

/** The texts in this window's editors that aren't saved. */
export const unsavedTexts: UnsavedTexts = {
  below: (folder) => {
    const found = dirtyFiles(vscode.workspace.textDocuments).filter(({ path }) => isBelow(path, folder));
    const first = new Map(found.toReversed().map((one) => [one.path, one.document]));
    return [...first].map(([path, document]) => unsavedText(path, document));
  },
};

function unsavedText(path: string, document: vscode.TextDocument): UnsavedText {
  return {
    path,
    read: () => {
      const text = document.getText();
      const eol = document.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n";
      return {
        kind: "text",
        file: { text, eol, ...editorEncoding(document.encoding) },
        version: versionOf(text),
      };
    },
    replace: (version, file) => replace(path, version, file),
  };
}

async function replace(path: string, version: string, { text }: TextFile): Promise<boolean> {
  const [found, ...others] = dirtyFiles(vscode.workspace.textDocuments).filter((one) => one.path === path);
  if (others.length > 0)
    throw new WorkspaceError(
      `${basename(path)} is open under ${others.length + 1} names, with edits that are not saved. Nothing was changed. Ask the user to save it, then try again.`,
    );
  if (!found || versionOf(found.document.getText()) !== version) return false;
  const { document } = found;
  const edit = new vscode.WorkspaceEdit();
  edit.set(document.uri, [editTo(document, text), ...lineEndEdit(document, text)]);
  return vscode.workspace.applyEdit(edit);
}

/** The smallest edit that turns the document into the wanted text, with the document's own line ends. */
export function editTo(document: vscode.TextDocument, wanted: string): vscode.TextEdit {
  const eol = document.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n";
  const { start, end, text } = smallestReplacement(document.getText(), withLineEnd(wanted, eol));
  return vscode.TextEdit.replace(
    new vscode.Range(document.positionAt(start), document.positionAt(end)),
    text,
  );
}

/** An edit for a text whose lines all end differently from those of the document. */
function lineEndEdit({ eol }: vscode.TextDocument, text: string): readonly vscode.TextEdit[] {
  const { CRLF, LF } = vscode.EndOfLine;
  const wanted = !text.includes("\n") ? eol : /(?<!\r)\n/.test(text) ? LF : CRLF;
  return wanted === eol ? [] : [vscode.TextEdit.setEndOfLine(wanted)];
}

function versionOf(text: string): string {
  return `editor:${sha256(text)}`;
}

/** True while a file has unsaved edits. `target` is its real path. */
export function unsaved(target: string): boolean {
  return dirtyDocuments().some(({ path }) => path === target);
}

/** Saves a file's edits; false when that isn't possible. */
export async function save(target: string): Promise<boolean> {
  const ofTarget = dirtyDocuments().filter(({ path }) => path === target);
  const results = await Promise.all(ofTarget.map(({ document }) => saved(document)));
  return results.every(Boolean);
}

/** A file with unsaved edits at or below a path, if any. */
export function unsavedBelow(folder: string): string | undefined {
  return dirtyDocuments().find(({ path }) => isBelow(path, folder))?.path;
}

/** A notebook with unsaved edits at a path. */
export function isUnsavedNotebook(target: string): boolean {
  return dirtyFiles(vscode.workspace.notebookDocuments).some(({ path }) => path === target);
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function dirtyDocuments() {
  const { textDocuments, notebookDocuments } = vscode.workspace;
  return dirtyFiles([...textDocuments, ...notebookDocuments]);
}

/** Files with unsaved edits by their real paths, whatever name they were opened under. */
function dirtyFiles<D extends vscode.TextDocument | vscode.NotebookDocument>(documents: readonly D[]) {
  return documents
    .filter(({ uri, isDirty }) => isDirty && uri.scheme === "file")
    .map((document) => ({ document, path: realPath(document.uri.fsPath) }));
}

/** The real path of a file, also of one that is gone. */
function realPath(path: string): string {
  try {
    return fs.realpathSync.native(path);
  } catch {
    return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path));
  }
}

/** How long to wait after each try, in milliseconds. */
const WAITS = [100, 200, 400, 800, 1600];

/**
 * Saves an open file; false when that isn't possible. The editor refuses a save while it is busy with its own, so this
 * tries several times.
 */
export async function saved(document: vscode.TextDocument | vscode.NotebookDocument): Promise<boolean> {
  for (const wait of WAITS) {
    if (!document.isDirty || (await document.save())) break;
    await setTimeout(wait);
  }
  return !document.isDirty;
}
