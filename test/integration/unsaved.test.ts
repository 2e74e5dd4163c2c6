import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import * as vscode from "vscode";
import { FakeModel, says } from "../support/fake-model.ts";
import { decideWhenAsked, ourApi } from "./our-api.ts";
import { closeEverything } from "./parts/workspace-files.ts";

describe("a run on a file with unsaved edits", () => {
  it("changes it in the editor, asks before a program that wouldn't see that, and is undone in the editor", async () => {
    const api = await ourApi();
    const folder = fs.realpathSync.native(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "");
    const file = path.join(folder, "unsaved-a.txt");
    fs.writeFileSync(file, "one\n");
    await closeEverything();
    // No editor is asked for: an earlier run's file may still come to the front, which cancels that.
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
    const typed = new vscode.WorkspaceEdit();
    typed.insert(document.uri, new vscode.Position(0, 0), "mine ");
    await vscode.workspace.applyEdit(typed);
    const look = says("execute_shell", { command_line: "cat unsaved-a.txt" });
    const model = new FakeModel(
      [
        says("edit_file", { filename: "unsaved-a.txt", edits: [{ search: "one", replace: "1" }] }),
        look,
        look,
        says("task_complete", { reason: "Done." }),
      ],
      ["text"],
    );

    const run = await api.startRun({ task: "Change a file.", model });
    for (const step of [1, 2, 3, 4]) await decideWhenAsked(run, step, { allow: true });
    await run.end;
    const [edited, first, second] = run.state.recent.map(({ outcome, decided }) => ({
      rule: decided?.rule,
      inEditor: outcome?.status === "done" ? outcome.inEditor : undefined,
      output: outcome?.status === "done" ? outcome.output : outcome,
    }));
    const changed = [document.getText(), document.isDirty, fs.readFileSync(file, "utf8")];
    await run.undo(1);
    const undone = [document.getText(), document.isDirty, fs.readFileSync(file, "utf8")];
    await closeEverything();
    fs.rmSync(file);

    const note = "It didn't see edits in the editor that aren't saved: \"unsaved-a.txt\".";
    assert.deepEqual(
      {
        inEditor: edited?.inEditor,
        asked: [first?.rule, second?.rule === "unsaved-changes"],
        saw: [first, second].map((one) => [/^one$/m, note].map((part) => String(one?.output).search(part) >= 0)),
        changed,
        undone,
      },
      {
        inEditor: [file],
        asked: ["unsaved-changes", false],
        saw: [
          [true, true],
          [true, true],
        ],
        changed: ["mine 1\n", true, "one\n"],
        undone: ["mine one\n", true, "one\n"],
      },
    );
  });
});
