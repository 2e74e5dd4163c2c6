import * as vscode from "vscode";
import { computeCellOperations } from "../../commands/notebooks/cell-operations.ts";
import { matchCells } from "../../commands/notebooks/matched-cells.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import type { CellSource, EditedCell, Notebook, Notebooks, UnsavedNotebook } from "../../core/ports/notebooks.ts";
import { type ResolvedPath, StaleFileError, WorkspaceError } from "../../core/ports/workspace.ts";
import { getEditorLanguage, getNotebookLanguage, listNotebookCells, openNotebooks } from "./open-notebooks.ts";

/**
 * Notebooks as the editor has them. Open ones are read and changed there without saving, others on the disk. Calls `changed` with the path
 * of each notebook that is changed in the editor.
 */
export function createEditorNotebooks(disk: Notebooks, changed: (path: string) => void): Notebooks {
  return {
    createBlank: disk.createBlank,
    async read(place, signal) {
      const [document] = openNotebooks(place.path);
      if (!document) return disk.read(place, signal);
      const stored = await disk.read(place, signal).catch(() => disk.createBlank(place));
      return openNotebook(document, place, stored, changed);
    },
  };
}

/** `stored` is the notebook on the disk, which a save would write over. */
function openNotebook(
  document: vscode.NotebookDocument,
  place: ResolvedPath,
  stored: Notebook,
  changed: (path: string) => void,
): Notebook {
  const cells = listNotebookCells(document);
  const isCurrent = (): boolean => !document.isClosed && areSameCells(listNotebookCells(document), cells);
  return {
    place,
    language: getNotebookLanguage(document),
    cells,
    open: { isUnsaved: document.isDirty },
    buildFileText: (wanted) => stored.buildFileText(mapToStoredCells(wanted, cells, stored.cells)),
    isCurrent: async () => isCurrent(),
    async write(wanted) {
      if (!isCurrent())
        throw new StaleFileError(
          `"${place.label}" has changed in the editor since it was read. Nothing was changed. Read it again, then repeat the change.`,
        );
      changed(place.path);
      if (!(await areReplaced(document, wanted)))
        throw new WorkspaceError(
          `The editor didn't take all of the change of "${place.label}". Read it again, and ask the user to look at it.`,
        );
    },
  };
}

/** The notebook of a path, if it has edits that aren't saved. */
export function findUnsavedNotebook(path: string): UnsavedNotebook | undefined {
  const document = openNotebooks(path).find(({ isDirty }) => isDirty);
  return (
    document && {
      listCells: () => listNotebookCells(document),
      replace: (wanted) => areReplaced(document, wanted),
    }
  );
}

/** Replaces the cells of an open notebook; false if the editor didn't take all of the change. */
async function areReplaced(document: vscode.NotebookDocument, wanted: readonly EditedCell[]): Promise<boolean> {
  const isApplied = await vscode.workspace.applyEdit(createNotebookEdit(document, listNotebookCells(document), wanted));
  return isApplied && areSameCells(listNotebookCells(document), wanted);
}

/** Converts the cells' indexes from the editor's notebook to the file on the disk. */
function mapToStoredCells(
  wanted: readonly EditedCell[],
  open: readonly CellSource[],
  stored: readonly CellSource[],
): readonly EditedCell[] {
  const origins = matchCells(open, stored).map(({ from }) => from);
  return wanted.map(({ from, ...cell }) => {
    const origin = from === undefined ? undefined : origins[from];
    return { ...cell, ...omitUndefined({ from: origin }) };
  });
}

/** True if two rows of cells have the same text. */
export function areSameCells(one: readonly CellSource[], other: readonly CellSource[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ kind, language, source }, index) => {
      const cell = other[index];
      return cell?.kind === kind && cell.language === language && cell.source === source;
    })
  );
}

/** One edit that the user can undo. */
function createNotebookEdit(
  document: vscode.NotebookDocument,
  cells: readonly CellSource[],
  wanted: readonly EditedCell[],
): vscode.WorkspaceEdit {
  const operations = computeCellOperations(cells, wanted);
  const edit = new vscode.WorkspaceEdit();
  if (operations.kind === "source") {
    const text = document.cellAt(operations.index).document;
    const whole = text.validateRange(new vscode.Range(0, 0, text.lineCount, 0));
    edit.replace(text.uri, whole, operations.source);
    return edit;
  }
  const language = getEditorLanguage(getNotebookLanguage(document));
  const edits = operations.replacements.map(({ start, end, cells: added }) =>
    vscode.NotebookEdit.replaceCells(
      new vscode.NotebookRange(start, end),
      added.map((cell) => createCellData(document, cell, language)),
    ),
  );
  edit.set(document.uri, edits);
  return edit;
}

function createCellData(
  document: vscode.NotebookDocument,
  { kind, language, source, from }: EditedCell,
  ofNotebook: string,
): vscode.NotebookCellData {
  const { Code, Markup } = vscode.NotebookCellKind;
  const data =
    kind === "markdown"
      ? new vscode.NotebookCellData(Markup, source, "markdown")
      : new vscode.NotebookCellData(Code, source, kind === "raw" ? "raw" : (language ?? ofNotebook));
  const old = from === undefined ? undefined : document.cellAt(from);
  if (!old) return data;
  data.metadata = { ...old.metadata };
  if (kind !== "code" || old.kind !== Code) return data;
  data.outputs = [...old.outputs];
  if (old.executionSummary) data.executionSummary = old.executionSummary;
  return data;
}
