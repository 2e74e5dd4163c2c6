import { type Node, parseTree } from "jsonc-parser";
import { isObject, type Json } from "../../core/base/json.ts";
import { type NotebookCell, parseLanguageName } from "../../core/ports/notebooks.ts";
import { formatNotebookOutput } from "./cell-outputs.ts";

/** A part of a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A cell, and where it is in its file. */
export interface JsonCell extends NotebookCell {
  readonly at: Span;
  /** The value of `source`. */
  readonly sourceAt: Span;
  /** Its text is stored as one string, not line by line. */
  readonly isOneString: boolean;
}

/** The style of a file, so that new parts match the others. */
export interface JsonStyle {
  /** Indentation of one level; "" for a file in one line. */
  readonly indent: string;
  readonly eol: string;
  readonly colon: string;
  readonly comma: string;
  /** Characters beyond ASCII are escaped. */
  readonly isAscii: boolean;
}

/** A notebook's file with the positions of its cells. */
export interface NotebookJson {
  readonly language: string;
  readonly cells: readonly JsonCell[];
  /** The value of `cells`. */
  readonly cellsAt: Span;
  /** Ids of the cells; absent before version 4.5 of the format. */
  readonly ids?: readonly string[];
  readonly style: JsonStyle;
}

/** Reads version 4 of the format (https://nbformat.readthedocs.io). Throws a clause if it isn't one. */
export function readNotebook(text: string): NotebookJson {
  const notebook = parseNotebookJson(text);
  if (!Array.isArray(notebook.cells)) throw new Error(explainMissingCells(notebook));
  const tree = parseTree(text);
  const list = tree && findProperty(tree, "cells");
  if (!tree || !list) throw new Error("it isn't a Jupyter notebook");
  const language = getLanguage(notebook);
  const cells = notebook.cells.map((cell, index) => readCell(cell, list.children?.[index], language));
  const { nbformat_minor: minor } = notebook;
  const hasIds = typeof minor === "number" && minor >= 5;
  return {
    language,
    cells,
    cellsAt: getSpan(list),
    ...(hasIds ? { ids: notebook.cells.map((cell) => joinNotebookText(toFieldsOrEmpty(cell).id)) } : {}),
    style: detectStyle(text, tree),
  };
}

function parseNotebookJson(text: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    throw new Error("it isn't a Jupyter notebook, because it isn't JSON");
  }
  return toFieldsOrEmpty(value);
}

function explainMissingCells({ worksheets }: Json): string {
  return Array.isArray(worksheets)
    ? "it's in version 3 of the notebook format; have it converted with: jupyter nbconvert --to notebook --inplace"
    : "it isn't a Jupyter notebook";
}

function getLanguage({ metadata }: Json): string {
  const { language_info: info, kernelspec } = toFieldsOrEmpty(metadata);
  return (
    parseLanguageName(toFieldsOrEmpty(info).name) || parseLanguageName(toFieldsOrEmpty(kernelspec).language) || "python"
  );
}

function readCell(value: unknown, node: Node | undefined, notebookLanguage: string): JsonCell {
  const cell = toFieldsOrEmpty(value);
  const source = node && findProperty(node, "source");
  if (!node || !source) throw new Error("one of its cells has no source");
  const type = joinNotebookText(cell.cell_type);
  const kind = type === "code" || type === "raw" ? type : "markdown";
  const { vscode } = toFieldsOrEmpty(cell.metadata);
  const language = parseLanguageName(toFieldsOrEmpty(vscode).languageId);
  const outputs = kind === "code" && Array.isArray(cell.outputs) ? cell.outputs : [];
  return {
    kind,
    ...(kind === "code" && language !== "" && language !== notebookLanguage ? { language } : {}),
    source: joinNotebookText(cell.source).replace(/\r\n?/g, "\n"),
    outputs: outputs.map((output) => formatNotebookOutput(toFieldsOrEmpty(output))),
    at: getSpan(node),
    sourceAt: getSpan(source),
    isOneString: typeof cell.source === "string",
  };
}

function getSpan({ offset, length }: Node): Span {
  return { start: offset, end: offset + length };
}

/** The last property with the name applies, as in `JSON.parse`. */
function findProperty(node: Node, name: string): Node | undefined {
  return node.children?.findLast(({ children }) => children?.[0]?.value === name)?.children?.[1];
}

function detectStyle(text: string, tree: Node): JsonStyle {
  const [first, second] = tree.children ?? [];
  const start = tree.offset + 1;
  const lead = text.slice(start, first?.offset ?? start);
  const [, eol = "\n", indent = ""] = /^(\r\n|\r|\n)([ \t]*)$/.exec(lead) ?? [];
  const value = first?.children?.[1];
  const colon = first && value ? text.slice((first.colonOffset ?? 0) + 1, value.offset) : " ";
  const between = first && second ? text.slice(first.offset + first.length + 1, second.offset) : " ";
  return {
    indent,
    eol,
    colon: `:${/^\s*$/.test(colon) && !/[\r\n]/.test(colon) ? colon : " "}`,
    comma: between === "" ? "," : ", ",
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII.
    isAscii: /\\u[0-9a-f]{4}/i.test(text) && /^[\x00-\x7f]*$/.test(text),
  };
}

export function toFieldsOrEmpty(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** Joins text, which notebooks store as a whole or line by line. */
export function joinNotebookText(value: unknown): string {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === "string").join("") : "";
}
