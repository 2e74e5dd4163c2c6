import { omitUndefined } from "../../core/base/objects.ts";
import { formatQuantity } from "../../core/base/text.ts";
import type { CellSource, EditedCell, Notebook, NotebookCell } from "../../core/ports/notebooks.ts";

/** A line that begins a cell, as in the percent format of jupytext and VS Code: `# %% cell 3 [markdown]`. */
const MARK = "# %%";

/** A cell with its number; a new cell has none. */
interface NumberedCell extends CellSource {
  readonly number?: number;
}

/** A notebook's cells as one text: the sources below their marks, without outputs. Edits apply to this text. */
export function renderCells(cells: readonly NumberedCell[], mark: string): string {
  return cells.map((cell) => `${formatMarkLine(cell, mark)}\n${endWithNewline(cell.source)}`).join("");
}

/** The same with the outputs of each cell, for reading. */
function renderCellsWithOutputs(cells: readonly NotebookCell[]): string {
  const mark = chooseCellMark(cells);
  return numberCells(cells)
    .map((cell, index) => {
      const outputs = cells[index]?.outputs ?? [];
      const shown = outputs.map((output) => endWithNewline(output)).join("");
      const result = shown === "" ? "" : `${mark} output of cell ${cell.number}\n${shown}`;
      return renderCells([cell], mark) + result;
    })
    .join("");
}

/** A notebook as the model reads it: its cells with their outputs, and how to edit them. */
export function renderNotebook({ cells, language, open }: Notebook): {
  readonly text: string;
  readonly hints: readonly string[];
} {
  const mark = chooseCellMark(cells);
  const marks = `a line "${mark} [code]" or "${mark} [markdown]" begins`;
  if (cells.length === 0) return { text: "(no cells)", hints: [`[Write cells with write_to_file; ${marks} each.]`] };
  const editor = open?.isUnsaved ? " It has unsaved edits in the editor; this is the editor's text." : "";
  return {
    text: renderCellsWithOutputs(cells),
    hints: [
      `[Code cells are ${language}. edit_file edits this text without the outputs; ${marks} a new cell.${editor}]`,
    ],
  };
}

/** The cells with their numbers, from 1. */
export function numberCells(cells: readonly CellSource[]): readonly NumberedCell[] {
  return cells.map(({ kind, language, source }, index) => ({
    kind,
    ...omitUndefined({ language }),
    source,
    number: index + 1,
  }));
}

/** The cells of an edit with the numbers that they had before it. */
export function restoreCellNumbers(cells: readonly EditedCell[]): readonly NumberedCell[] {
  return cells.map(({ from, ...cell }) => ({ ...cell, ...(from === undefined ? {} : { number: from + 1 }) }));
}

/** A mark that no line of the notebook begins with. */
export function chooseCellMark(
  cells: readonly { readonly source: string; readonly outputs?: readonly string[] }[],
): string {
  const texts = cells.flatMap(({ source, outputs = [] }) => [source, ...outputs]);
  let mark = MARK;
  while (texts.some((text) => hasLineWithMark(text, mark))) mark += "%";
  return mark;
}

function hasLineWithMark(text: string, mark: string): boolean {
  return text.startsWith(mark) || text.includes(`\n${mark}`);
}

function formatMarkLine({ number, kind, language }: NumberedCell, mark: string): string {
  const name = number === undefined ? "" : ` cell ${number}`;
  return `${mark}${name} [${kind}${language === undefined ? "" : `: ${language}`}]`;
}

function endWithNewline(text: string): string {
  return text === "" ? "" : `${text}\n`;
}

/** The cells of a text, or its problem as a sentence for the model. */
export type ReadCells = { readonly cells: readonly EditedCell[] } | { readonly problem: string };

/**
 * Reads the cells of an edited text. `old` are the cells before the edit, to which a mark's number refers. Blank lines that an edit leaves
 * at the end of a cell aren't part of it.
 */
export function parseCells(text: string, old: readonly CellSource[], mark: string): ReadCells {
  const lines = text.replace(/\r\n?/g, "\n").replace(/\n$/, "").split("\n");
  const cells: EditedCell[] = [];
  const problems: string[] = [];
  let start = lines.findIndex((line) => line.startsWith(mark));
  if (start === -1) return { problem: `It has no cell. ${explainCellMarks(mark)}` };
  if (lines.slice(0, start).some((line) => line.trim() !== ""))
    return { problem: `There is text before the mark of the first cell. ${explainCellMarks(mark)}` };
  while (start < lines.length) {
    const next = lines.findIndex((line, index) => index > start && line.startsWith(mark));
    const end = next === -1 ? lines.length : next;
    const cell = parseCell(lines[start] ?? "", lines.slice(start + 1, end).join("\n"), old, mark);
    if (typeof cell === "string") problems.push(cell);
    else cells.push(cell);
    start = end;
  }
  const twice = cells.find(
    ({ from }, index) => from !== undefined && cells.findIndex((cell) => cell.from === from) < index,
  );
  if (twice?.from !== undefined)
    problems.push(`Cell ${twice.from + 1} is there twice. Begin a new cell with "${mark} [code]", without a number.`);
  return problems.length > 0 ? { problem: problems.join("\n") } : { cells };
}

function parseCell(line: string, text: string, old: readonly CellSource[], mark: string): EditedCell | string {
  const [, number, kind = "code", language] =
    /^(?: +(?:new )?cell(?: (\d+))?)?(?: +\[(code|markdown|md|raw)(?:: *([\w+#-]+))?\])?\s*$/i.exec(
      line.slice(mark.length),
    ) ?? [undefined, undefined, ""];
  if (kind === "") return `The line "${line.slice(0, 100)}" isn't a cell's mark. ${explainCellMarks(mark)}`;
  const from = number === undefined ? undefined : Number(number) - 1;
  const before = from === undefined ? undefined : old[from];
  if (from !== undefined && !before)
    return `There is no cell ${number}: the notebook has ${formatQuantity(old.length, "cell")}. Begin a new cell with "${mark} [code]", without a number.`;
  return {
    ...parseCellKind(kind, language),
    source: before ? restoreBlankEnd(text, before.source) : text.replace(/^(?:[ \t]*\n)+/, "").trimEnd(),
    ...omitUndefined({ from }),
  };
}

function parseCellKind(kind: string, language: string | undefined): Pick<CellSource, "kind" | "language"> {
  const lower = kind.toLowerCase();
  if (lower !== "code") return { kind: lower === "raw" ? "raw" : "markdown" };
  return { kind: "code", ...omitUndefined({ language }) };
}

/** Removes blank lines at the end of a source that weren't there before. */
function restoreBlankEnd(source: string, before: string): string {
  const [text, old] = [stripBlankEnd(source), stripBlankEnd(before)];
  return text === old ? before : text + before.slice(old.length);
}

function stripBlankEnd(text: string): string {
  const lineEnd = text.indexOf("\n", text.trimEnd().length);
  return lineEnd === -1 ? text : text.slice(0, lineEnd);
}

function explainCellMarks(mark: string): string {
  return `Each cell begins with a line such as "${mark} [code]" or "${mark} [markdown]".`;
}
