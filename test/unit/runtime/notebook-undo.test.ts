import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CellSource } from "../../../src/core/ports/notebooks.ts";
import { createFileReplacer } from "../../../src/node/files/atomic-write.ts";
import { diskFiles } from "../../../src/runs/undo/file-state.ts";
import { createUndoJournal } from "../../../src/runs/undo/journal.ts";
import { createPreImages } from "../../../src/runs/undo/pre-images.ts";
import { createUndo } from "../../../src/runs/undo/undo.ts";
import { addUnsavedNotebooks } from "../../../src/runtime/notebook-undo.ts";
import { codeCell, notebookText } from "../../support/notebooks.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const NOTEBOOK = notebookText([codeCell(["a"], "1\n", "aa"), codeCell(["b"], undefined, "bb")]);
const code = (source: string): CellSource => ({ kind: "code", source });

describe("undo of changes in open notebooks", () => {
  const tempFolder = tempFolders();

  /** A notebook on disk, and the cells that its editor has while it isn't saved. */
  async function notebook() {
    const [folder, run] = [await tempFolder(), await tempFolder()];
    const path = join(folder, "a.ipynb");
    await writeFile(path, NOTEBOOK);
    await mkdir(run, { recursive: true });
    const editor: { cells: readonly CellSource[] | undefined } = { cells: undefined };
    const kept = createPreImages(run);
    const { seen, files } = addUnsavedNotebooks({ seen: diskFiles, files: createFileReplacer() }, () => {
      const { cells } = editor;
      if (!cells) return undefined;
      const replace = async (wanted: readonly CellSource[]) => {
        editor.cells = wanted.map(({ kind, source }) => ({ kind, source }));
        return true;
      };
      return { listCells: () => cells, replace };
    });
    const journal = createUndoJournal(run, kept, seen);
    const undo = createUndo({ journal, kept, files, seen, folder });
    const change = async (cells: readonly CellSource[]) => {
      const begun = await journal.begin({ by: "step", step: 1, files: [{ path }] });
      editor.cells = cells;
      await journal.settle(begun, [path]);
    };
    return { editor, change, undo, text: () => readFile(path, "utf8") };
  }

  it("restores and repeats the cells in the editor, and leaves the file alone", async () => {
    const { editor, change, undo, text } = await notebook();
    await change([code("A"), code("b"), code("new")]);
    await undo.undo({ step: 1 });
    const undone = editor.cells;
    await undo.redo();
    assert.deepEqual(
      { undone, redone: editor.cells, stored: (await text()) === NOTEBOOK },
      { undone: [code("a"), code("b")], redone: [code("A"), code("b"), code("new")], stored: true },
    );
  });

  it("leaves cells alone that the user has edited since, and says so", async () => {
    const { editor, change, undo } = await notebook();
    await change([code("A"), code("b")]);
    editor.cells = [code("mine"), code("b")];
    const { conflicts } = await undo.undo({ step: 1 });
    assert.deepEqual([editor.cells, conflicts.length], [[code("mine"), code("b")], 1]);
  });

  it("restores the file once the notebook is closed without saving", async () => {
    const { editor, change, undo, text } = await notebook();
    await change([code("A"), code("b")]);
    editor.cells = undefined;
    const { conflicts } = await undo.undo({ step: 1 });
    assert.deepEqual([conflicts.length, (await text()) === NOTEBOOK], [0, true]);
  });
});
