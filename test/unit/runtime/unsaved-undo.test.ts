import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { editFile } from "../../../src/commands/files/edit-file.ts";
import { writeToFile } from "../../../src/commands/files/write-to-file.ts";
import { isPrepared } from "../../../src/core/commands/command.ts";
import { createCommandSet } from "../../../src/core/commands/command-set.ts";
import type { TextFile } from "../../../src/core/ports/workspace.ts";
import { createFileReplacer } from "../../../src/node/files/atomic-write.ts";
import { encodeText } from "../../../src/node/files/text-encoding.ts";
import { createNodeWorkspace } from "../../../src/node/workspace.ts";
import { diskFiles } from "../../../src/runs/undo/file-state.ts";
import { createUndoJournal } from "../../../src/runs/undo/journal.ts";
import { createPreImages } from "../../../src/runs/undo/pre-images.ts";
import { createUndo } from "../../../src/runs/undo/undo.ts";
import { addUndo } from "../../../src/runs/undo/with-undo.ts";
import { wrapFilesWithUnsavedTexts } from "../../../src/runtime/unsaved-undo.ts";
import { createUnsavedWorkspace } from "../../../src/runtime/unsaved-workspace.ts";
import { writeInEnglish } from "../../../src/texts/display-text.ts";
import { FakeEditors } from "../../support/fake-editors.ts";
import { tempFolders } from "../../support/temp-folders.ts";

describe("undo of changes in editors", () => {
  const tempFolder = tempFolders();

  /** An agent whose steps can be undone, on a file `a.txt` that holds `disk`. */
  async function agent() {
    const [folder, run] = [await tempFolder(), await tempFolder()];
    const path = join(folder, "a.txt");
    await writeFile(path, "disk\n");
    await mkdir(run, { recursive: true });
    const editors = new FakeEditors();
    const kept = createPreImages(run);
    const { seen, files } = wrapFilesWithUnsavedTexts({ seen: diskFiles, files: createFileReplacer() }, editors);
    const journal = createUndoJournal(run, kept, seen);
    const workspace = createUnsavedWorkspace(
      createNodeWorkspace({ folders: [{ name: "project", path: folder }] }),
      editors,
    );
    const commands = addUndo(
      createCommandSet([editFile({ workspace }), writeToFile({ workspace })]),
      journal,
      undefined,
      seen,
    );
    const undo = createUndo({ journal, kept, files, seen, folder });
    let step = 0;
    const act = async (name: string, args: object) => {
      step += 1;
      const { signal } = new AbortController();
      const prepared = await commands.prepare({ name, args: { filename: "a.txt", ...args } }, { step, signal });
      assert.ok(isPrepared(prepared));
      await commands.run(prepared, { step, signal, output: () => undefined, record: async () => undefined });
    };
    return {
      act,
      undo,
      path,
      type: (text: string, more: Partial<TextFile> = {}) => editors.type(path, text, more),
      edit: (search: string, replace: string) => act("edit_file", { edits: [{ search, replace }] }),
      /** Saves the text in the editor as it is. */
      save: async () => {
        const file = editors.texts.get(path);
        if (file) await writeFile(path, await encodeText(file));
        editors.texts.delete(path);
      },
      state: async () => ({
        editor: editors.texts.get(path)?.text,
        disk: await readFile(path, "latin1"),
      }),
    };
  }

  it("brings the user's unsaved text back into the editor, and redo the change; the disk stays as it is", async () => {
    const { type, edit, undo, state } = await agent();
    type("typed é\n", { encoding: "windows-1252" });
    await edit("typed", "changed");
    await edit("é", "è");

    const changed = await state();
    const { steps, conflicts } = await undo.undo({});
    const undone = await state();
    await undo.redo();

    assert.deepEqual(
      {
        changed,
        files: steps.map(({ step, files }) => [step, files]),
        conflicts,
        undone,
        redone: await state(),
      },
      {
        changed: { editor: "changed è\n", disk: "disk\n" },
        files: [
          [2, ["a.txt"]],
          [1, ["a.txt"]],
        ],
        conflicts: [],
        undone: { editor: "typed é\n", disk: "disk\n" },
        redone: { editor: "changed è\n", disk: "disk\n" },
      },
    );
  });

  it("is made on the disk once the user has saved the change", async () => {
    const { type, edit, save, undo, state } = await agent();
    type("typed é\n", { encoding: "windows-1252" });
    await edit("typed", "changed");
    await save();

    await undo.undo({});

    assert.deepEqual(await state(), { editor: undefined, disk: "typed é\n" });
  });

  it("leaves what was typed afterward alone, and says so", async () => {
    const { type, edit, undo, state } = await agent();
    type("typed\n");
    await edit("typed", "changed");
    type("changed, and typed on\n");

    const { conflicts } = await undo.undo({});

    assert.deepEqual(
      { why: conflicts.map(({ why }) => writeInEnglish(why)), state: await state() },
      {
        why: ["It was changed afterward."],
        state: { editor: "changed, and typed on\n", disk: "disk\n" },
      },
    );
  });

  it("undoes a change on the disk only while nothing was typed since", async () => {
    const { act, type, save, undo, state } = await agent();
    await act("write_to_file", { contents: "written\n" });
    type("written, and typed on\n");
    const blocked = (await undo.undo({})).conflicts.map(({ why }) => writeInEnglish(why));
    type("written\n");
    await save();
    await undo.undo({});

    assert.deepEqual(
      { blocked, state: await state() },
      { blocked: ["It was changed afterward."], state: { editor: undefined, disk: "disk\n" } },
    );
  });
});
