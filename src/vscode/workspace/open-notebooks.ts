import { realpathSync } from "node:fs";
import * as vscode from "vscode";
import { isObject } from "../../core/base/json.ts";
import { type CellSource, languageName, type NotebookCell } from "../../core/ports/notebooks.ts";
import { errorText, formsText, outputForm, shortened } from "../../node/documents/cell-outputs.ts";
import { pathOf } from "./places.ts";

/** The type of Jupyter's notebooks, which the built-in extension for them reads and writes. */
const JUPYTER = "jupyter-notebook";

/** The open notebooks of a file, by its real path. More than one only if it was opened under several names. */
export function openNotebooks(target: string): readonly vscode.NotebookDocument[] {
  return vscode.workspace.notebookDocuments.filter(
    ({ uri, notebookType, isClosed }) => !isClosed && notebookType === JUPYTER && realPathOf(uri) === target,
  );
}

function realPathOf(uri: vscode.Uri): string {
  try {
    return uri.scheme === "file" ? realpathSync.native(uri.fsPath) : pathOf(uri);
  } catch {
    return uri.fsPath;
  }
}

/** The cells of an open notebook. */
export function cellsOf(document: vscode.NotebookDocument): readonly NotebookCell[] {
  const ofNotebook = editorLanguage(languageOf(document));
  return document.getCells().map(({ kind, document: text, outputs }) => ({
    ...kindOf(kind, text.languageId, ofNotebook),
    source: text.getText().replace(/\r\n?/g, "\n"),
    outputs: outputs.map(outputOf),
  }));
}

function kindOf(
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
export function languageOf({ metadata }: vscode.NotebookDocument): string {
  const file = isObject(metadata.metadata) ? metadata.metadata : {};
  const info = isObject(file.language_info) ? file.language_info.name : undefined;
  const kernel = isObject(file.kernelspec) ? file.kernelspec.language : undefined;
  return languageName(info) || languageName(kernel) || "python";
}

/** VS Code's names for languages that Jupyter names otherwise. */
const EDITOR_LANGUAGES: Readonly<Record<string, string>> = { "c#": "csharp", "f#": "fsharp", "q#": "qsharp" };

/** A language as the editor names it. */
export function editorLanguage(language: string): string {
  return EDITOR_LANGUAGES[language.toLowerCase()] ?? language;
}

/** An output of a cell as text. */
export function outputOf({ items }: vscode.NotebookCellOutput): string {
  const texts = items.map(({ mime, data }) => ({ mime, text: new TextDecoder().decode(data) }));
  const error = texts.find(({ mime }) => mime === "application/vnd.code.notebook.error");
  if (error) return thrownText(error.text);
  const stream = texts.find(({ mime }) => /^application\/vnd\.code\.notebook\.std(?:out|err)$/.test(mime));
  if (stream) return shortened(stream.text);
  return formsText(items.map(({ mime, data }) => outputForm(mime, data)));
}

function thrownText(json: string): string {
  const { name, message, stack } = JSON.parse(json);
  return errorText(String(name ?? "Error"), String(message ?? ""), String(stack ?? ""));
}
