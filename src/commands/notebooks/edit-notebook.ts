import { isObject, tryJson } from "../../core/base/json.ts";
import type { PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { isNotebook, type Notebook, NotebookFormatError, type Notebooks } from "../../core/ports/notebooks.ts";
import type { ResolvedPath, TextFile } from "../../core/ports/workspace.ts";
import type { EditResult } from "../files/apply-edits.ts";
import { createFailure, createSuccess, UNCHANGED } from "../outcomes.ts";
import { chooseCellMark, numberCells, parseCells, renderCells } from "./cell-text.ts";
import { keepAllCells, prepareNotebookChange } from "./notebook-change.ts";

/** The notebook at a place; undefined if there is none, or its file can only be read as text. */
export async function findNotebook(
  notebooks: Notebooks | undefined,
  place: ResolvedPath,
  signal: AbortSignal,
): Promise<Notebook | undefined> {
  if (!notebooks || place.kind !== "file" || !isNotebook(place.label)) return undefined;
  try {
    return await notebooks.read(place, signal);
  } catch (error) {
    if (error instanceof NotebookFormatError) return undefined;
    throw error;
  }
}

/**
 * Applies edits to the text of a notebook's cells. Undefined if they match only the source of its file, as after reading the source; then
 * they are edits of a plain text.
 */
export function editNotebook(
  notebook: Notebook,
  apply: (file: Pick<TextFile, "text" | "eol">) => EditResult,
): PreparedCall | Outcome | undefined {
  const { label } = notebook.place;
  const mark = chooseCellMark(notebook.cells);
  const before = renderCells(numberCells(notebook.cells), mark);
  const edited = apply({ text: before, eol: "\n" });
  if ("problems" in edited) {
    if (!notebook.open && canEditAsSource(notebook, apply)) return undefined;
    return createFailure(`"${label}" was left unchanged: ${edited.problems.join("\n")}\n${HINT}`);
  }
  if (edited.text.trim() === "" && before !== "")
    return createFailure(
      `"${label}" is unchanged: these edits would leave no cell in it. To remove it use delete_file, to rewrite it write_to_file.`,
    );
  const read = parseCells(edited.text, notebook.cells, mark);
  if ("problem" in read) return createFailure(`"${label}" was left unchanged. ${read.problem}`);
  const call = prepareNotebookChange({ notebook, cells: read.cells, did: "Edited" });
  if ("preview" in call && call.preview.kind === "change" && call.preview.after === before)
    return createSuccess(`These edits change nothing in "${label}"; it is unchanged.`, UNCHANGED);
  return call;
}

const HINT =
  "Edits apply to the cells' text as read_file shows it, without the outputs, which only running a cell changes.";

function canEditAsSource(notebook: Notebook, apply: (file: Pick<TextFile, "text" | "eol">) => EditResult): boolean {
  const text = notebook.buildFileText(keepAllCells(notebook));
  const edited = apply({ text, eol: text.includes("\r\n") ? "\r\n" : "\n" });
  if ("problems" in edited) return false;
  return isSource(edited.text);
}

/**
 * Replaces all cells of a notebook or creates one, from the text of cells. A cell with the number of an old one keeps its outputs.
 * Undefined for the source of a notebook's file, and for a file that isn't a notebook.
 */
export async function writeNotebook(
  notebooks: Notebooks | undefined,
  place: ResolvedPath,
  contents: string,
  signal: AbortSignal,
): Promise<PreparedCall | Outcome | undefined> {
  if (!notebooks || !isNotebook(place.label) || isSource(contents)) return undefined;
  const notebook = (await findNotebook(notebooks, place, signal)) ?? notebooks.createBlank(place);
  const mark = chooseCellMark(notebook.cells);
  const read = parseCells(contents, notebook.cells, mark);
  if ("problem" in read) return createFailure(`"${place.label}" was not written. ${read.problem}`);
  const did = place.kind === "missing" ? "Created" : "Replaced";
  return prepareNotebookChange({ notebook, cells: read.cells, did });
}

/** Adds cells at the end of a notebook; undefined for a file that isn't a notebook. */
export async function appendToNotebook(
  notebooks: Notebooks | undefined,
  place: ResolvedPath,
  contents: string,
  signal: AbortSignal,
): Promise<PreparedCall | Outcome | undefined> {
  const notebook = await findNotebook(notebooks, place, signal);
  if (!notebook) return undefined;
  const read = parseCells(contents, [], chooseCellMark(notebook.cells));
  if ("problem" in read) return createFailure(`"${place.label}" was left unchanged. ${read.problem}`);
  return prepareNotebookChange({
    notebook,
    cells: [...keepAllCells(notebook), ...read.cells],
    did: "Edited",
  });
}

/** True for the JSON of a notebook's file, and for an empty file. */
function isSource(contents: string): boolean {
  const value = tryJson(contents);
  return contents.trim() === "" || (isObject(value) && Array.isArray(value.cells));
}
