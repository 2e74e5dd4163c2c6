import { realpathSync } from "node:fs";
import * as vscode from "vscode";
import { isObject } from "../../core/base/json.ts";
import { type CellSource, type NotebookCell, parseLanguageName } from "../../core/ports/notebooks.ts";
import {
  createOutputForm,
  formatErrorOutput,
  formatOutputForms,
  shortenCellOutput,
} from "../../node/documents/cell-outputs.ts";
import { convertUriToPath } from "./places.ts";

/** The type of Jupyter notebooks, which a built-in extension reads and writes. */
const JUPYTER = "jupyter-notebook";

/** The open notebooks of a file, by its real path. More than one only if it was opened under several names. */
export function openNotebooks(target: string): readonly vscode.NotebookDocument[] {
  return vscode.workspace.notebookDocuments.filter(
    ({ uri, notebookType, isClosed }) => !isClosed && notebookType === JUPYTER && resolveRealPath(uri) === target,
  );
}

function resolveRealPath(uri: vscode.Uri): string {
  try {
    return uri.scheme === "file" ? realpathSync.native(uri.fsPath) : convertUriToPath(uri);
  } catch {
    return uri.fsPath;
  }
}

/** The cells of an open notebook. */
export function listNotebookCells(document: vscode.NotebookDocument): readonly NotebookCell[] {
  const ofNotebook = getEditorLanguage(getNotebookLanguage(document));
  return document.getCells().map(({ kind, document: text, outputs }) => ({
    ...convertCellKind(kind, text.languageId, ofNotebook),
    source: text.getText().replace(/\r\n?/g, "\n"),
    outputs: outputs.map(formatCellOutput),
  }));
}

function convertCellKind(
  kind: vscode.NotebookCellKind,
  language: string,
  ofNotebook: string,
): Pick<CellSource, "kind" | "language"> {
  if (kind === vscode.NotebookCellKind.Markup) return { kind: "markdown" };
  if (language === "raw") return { kind: "raw" };
  const isOfNotebook = language === ofNotebook || language === "plaintext";
  return { kind: "code", ...(isOfNotebook ? {} : { language }) };
}

/** The language of a notebook's code, by the metadata of its file. */
export function getNotebookLanguage({ metadata }: vscode.NotebookDocument): string {
  const file = isObject(metadata.metadata) ? metadata.metadata : {};
  const info = isObject(file.language_info) ? file.language_info.name : undefined;
  const kernel = isObject(file.kernelspec) ? file.kernelspec.language : undefined;
  return parseLanguageName(info) || parseLanguageName(kernel) || "python";
}

/** VS Code's names for languages that Jupyter names otherwise. */
const EDITOR_LANGUAGES: Readonly<Record<string, string>> = { "c#": "csharp", "f#": "fsharp", "q#": "qsharp" };

/** A language as the editor names it. */
export function getEditorLanguage(language: string): string {
  return EDITOR_LANGUAGES[language.toLowerCase()] ?? language;
}

/** An output of a cell as text. */
export function formatCellOutput({ items }: vscode.NotebookCellOutput): string {
  const texts = items.map(({ mime, data }) => ({ mime, text: new TextDecoder().decode(data) }));
  const error = texts.find(({ mime }) => mime === "application/vnd.code.notebook.error");
  if (error) return formatThrownError(error.text);
  const stream = texts.find(({ mime }) => /^application\/vnd\.code\.notebook\.std(?:out|err)$/.test(mime));
  if (stream) return shortenCellOutput(stream.text);
  return formatOutputForms(items.map(({ mime, data }) => createOutputForm(mime, data)));
}

function formatThrownError(json: string): string {
  const { name, message, stack } = JSON.parse(json);
  return formatErrorOutput(String(name ?? "Error"), String(message ?? ""), String(stack ?? ""));
}
