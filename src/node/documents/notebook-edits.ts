import { createHash } from "node:crypto";
import type { EditedCell } from "../../core/ports/notebooks.ts";
import { type JsonCell, type JsonStyle, type NotebookJson, toFieldsOrEmpty } from "./notebook-json.ts";

/** Replaces cells in a notebook's file. Unchanged cells and everything around them stay the same, byte for byte. */
export function replaceNotebookCells(text: string, notebook: NotebookJson, cells: readonly EditedCell[]): string {
  const { cellsAt, style } = notebook;
  const isSameRow = cells.length === notebook.cells.length && cells.every(({ from }, index) => from === index);
  const writing: Writing = { text, notebook, ids: new Set(notebook.ids) };
  if (isSameRow) {
    const parts = cells.map((cell, index) => formatCell(writing, cell, notebook.cells[index]));
    return spliceText(
      text,
      notebook.cells.map(({ at }, index) => ({ at, by: parts[index] ?? "" })),
    );
  }
  const row = cells.map(
    (cell) => getLeadingSpace(writing, cell.from) + formatCell(writing, cell, notebook.cells[cell.from ?? Number.NaN]),
  );
  const last = notebook.cells.at(-1);
  const end = last ? text.slice(last.at.end, cellsAt.end - 1) : formatLineEnd(style, 1);
  const list = row.length === 0 ? "[]" : `[${row.join(",")}${end}]`;
  return text.slice(0, cellsAt.start) + list + text.slice(cellsAt.end);
}

interface Writing {
  readonly text: string;
  readonly notebook: NotebookJson;
  /** The ids that are in use. */
  readonly ids: Set<string>;
}

/** The white space before a cell: its own, or a neighbor's for a new cell. */
function getLeadingSpace({ text, notebook: { cells, cellsAt, style } }: Writing, from: number | undefined): string {
  if (cells.length === 0) return formatLineEnd(style, 2);
  const index = from ?? Math.min(1, cells.length - 1);
  const before = cells[index - 1];
  const start = before ? text.indexOf(",", before.at.end) : cellsAt.start;
  return text.slice(start + 1, cells[index]?.at.start);
}

function formatCell(writing: Writing, cell: EditedCell, old: JsonCell | undefined): string {
  const { text } = writing;
  const { style } = writing.notebook;
  if (!old) return formatJson(createCell(writing, cell), style, 2);
  const raw = text.slice(old.at.start, old.at.end);
  if (old.kind !== cell.kind || old.language !== cell.language)
    return formatJson(convertCell(toFieldsOrEmpty(JSON.parse(raw)), cell), style, 2);
  if (old.source === cell.source) return raw;
  const { start } = old.at;
  const at = { start: old.sourceAt.start - start, end: old.sourceAt.end - start };
  return spliceText(raw, [{ at, by: formatSource(writing, cell.source, old) }]);
}

/** Formats a new source like the old one. */
function formatSource({ text, notebook: { style } }: Writing, source: string, old: JsonCell): string {
  const written = text.slice(old.sourceAt.start, old.sourceAt.end);
  const value = /\\r\\n/.test(written) ? source.replaceAll("\n", "\r\n") : source;
  if (old.isOneString) return quoteValue(value, style);
  // A list in one line may be in a file of many lines.
  const isOneLine = !/[\r\n]/.test(written) && written.length > 2;
  return formatJson(splitSourceLines(value), isOneLine ? { ...style, indent: "" } : style, 3);
}

/** Creates a cell with its properties in Jupyter's order. */
function createCell(writing: Writing, { kind, language, source }: EditedCell): object {
  const id = writing.notebook.ids ? { id: createCellId(writing.ids, source) } : {};
  const metadata = language === undefined ? {} : { vscode: { languageId: language } };
  return kind === "code"
    ? {
        cell_type: kind,
        execution_count: null,
        ...id,
        metadata,
        outputs: [],
        source: splitSourceLines(source),
      }
    : { cell_type: kind, ...id, metadata, source: splitSourceLines(source) };
}

/** Derives an id from the source, so that a proposal and the file written later are equal. */
function createCellId(taken: Set<string>, source: string): string {
  for (let tries = 0; ; tries++) {
    const id = createHash("sha256").update(`${tries} ${source}`).digest("hex").slice(0, 8);
    if (taken.has(id)) continue;
    taken.add(id);
    return id;
  }
}

/** Changes a cell's kind. It keeps its id and metadata, but only code has outputs. */
function convertCell(old: Readonly<Record<string, unknown>>, cell: EditedCell): object {
  const { cell_type: _, execution_count: count = null, outputs = [], source: __, metadata, ...rest } = old;
  const { vscode, ...others } = toFieldsOrEmpty(metadata);
  const { languageId: ___, ...ofEditor } = toFieldsOrEmpty(vscode);
  const editor = cell.language === undefined ? ofEditor : { ...ofEditor, languageId: cell.language };
  const kept = { ...others, ...(Object.keys(editor).length === 0 ? {} : { vscode: editor }) };
  const lines = splitSourceLines(cell.source);
  return cell.kind === "code"
    ? { cell_type: "code", execution_count: count, ...rest, metadata: kept, outputs, source: lines }
    : { cell_type: cell.kind, ...rest, metadata: kept, source: lines };
}

/** The lines of a source, each with its line end, as the format requires. */
function splitSourceLines(source: string): readonly string[] {
  return source === "" ? [] : source.split(/(?<=\n)/);
}

/** Formats a value at a nesting depth in the file's style. */
function formatJson(value: unknown, style: JsonStyle, depth: number): string {
  if (style.indent === "") return formatOnOneLine(value, style);
  const lines = JSON.stringify(value, null, style.indent).split("\n");
  const text = lines.map((line, index) => (index === 0 ? line : style.indent.repeat(depth) + line));
  return escapeNonAscii(text.join(style.eol), style);
}

function formatOnOneLine(value: unknown, style: JsonStyle): string {
  const { comma, colon } = style;
  if (Array.isArray(value)) return `[${value.map((item) => formatOnOneLine(item, style)).join(comma)}]`;
  if (typeof value !== "object" || value === null) return quoteValue(value, style);
  const properties = Object.entries(value).map(
    ([name, item]) => `${quoteValue(name, style)}${colon}${formatOnOneLine(item, style)}`,
  );
  return `{${properties.join(comma)}}`;
}

function quoteValue(value: unknown, style: JsonStyle): string {
  return escapeNonAscii(JSON.stringify(value), style);
}

function escapeNonAscii(json: string, { isAscii }: JsonStyle): string {
  if (!isAscii) return json;
  return json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function formatLineEnd({ indent, eol }: JsonStyle, depth: number): string {
  return indent === "" ? "" : eol + indent.repeat(depth);
}

function spliceText(
  text: string,
  changes: readonly { readonly at: { readonly start: number; readonly end: number }; readonly by: string }[],
): string {
  const parts: string[] = [];
  let from = 0;
  for (const { at, by } of changes) {
    parts.push(text.slice(from, at.start), by);
    from = at.end;
  }
  return [...parts, text.slice(from)].join("");
}
