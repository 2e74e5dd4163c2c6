import assert from "node:assert/strict";
import fs from "node:fs";
import * as vscode from "vscode";
import { type TextFile, WorkspaceError } from "../../../src/core/ports/workspace.ts";
import { createEditorTrash, createEditorWorkspace } from "../../../src/vscode/workspace/editor-workspace.ts";
import { plainWorkspace } from "./plain-workspace.ts";
import { closeEverything, until, writeInWorkspace } from "./workspace-files.ts";

const NEW: TextFile = { text: "new\n", encoding: "utf-8", bom: false, eol: "\n" };

async function typeInto(file: string): Promise<vscode.TextEditor> {
  const editor = await vscode.window.showTextDocument(vscode.Uri.file(file));
  await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "mine "));
  return editor;
}

afterEach(closeEverything);

describe("the workspace in the editor", () => {
  it("does not move, remove or overwrite files with unsaved edits, nor folders with such files in them", async () => {
    await typeInto(writeInWorkspace("folder/a.txt", "old\n"));
    const base = plainWorkspace();
    const workspace = createEditorWorkspace(base);
    const file = await workspace.locate("folder/a.txt");
    const folder = await workspace.locate("folder");
    const other = await workspace.locate("b.txt");

    const refusals = await Promise.all(
      [
        () => workspace.writeBytes(file, new Uint8Array()),
        () => workspace.move(file, other),
        () => workspace.move(other, file),
        () => workspace.remove(file),
        () => workspace.remove(folder),
      ].map((change) =>
        change().then(
          () => "changed",
          (error: unknown) => (error instanceof WorkspaceError ? error.message.split(" has ")[0] : error),
        ),
      ),
    );

    assert.deepEqual(
      { refusals, done: base.done },
      {
        refusals: ['"folder/a.txt"', '"folder/a.txt"', '"folder/a.txt"', '"folder/a.txt"', '"a.txt" in "folder"'],
        done: [],
      },
    );
  });

  it("changes a file that is open and saved, and the editor follows", async () => {
    const file = writeInWorkspace("open.txt", "old\n");
    const { document } = await vscode.window.showTextDocument(vscode.Uri.file(file));
    const workspace = createEditorWorkspace(plainWorkspace());

    await workspace.write(await workspace.locate("open.txt"), NEW);

    await until("the editor has the new text", () => document.getText() === "new\n" && !document.isDirty);
  });
});

describe("the trash of the editor", () => {
  it("takes a file, or it is taken away otherwise where there is none", async () => {
    const file = writeInWorkspace("trash.txt", "old\n");
    const trash = createEditorTrash(async (path) => {
      fs.rmSync(path);
      return "It is kept.";
    });

    const said = await trash(file);

    assert.deepEqual(
      { said: ["It is in the trash.", "It is kept."].includes(said), there: fs.existsSync(file) },
      { said: true, there: false },
    );
  });
});
