import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import * as vscode from "vscode";
import type { AutoGptApi, RunHandle } from "../../src/vscode/host/exported-api.ts";
import { FakeModel, says } from "../support/fake-model.ts";
import { decideWhenAsked } from "./our-api.ts";

/** A run that has changed one file and made another, and is over. */
async function finishedRun(): Promise<{ readonly run: RunHandle; readonly folder: string }> {
  const extension = vscode.extensions.getExtension<AutoGptApi>("autogpt-vscode.autogpt");
  const api = await extension?.activate();
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  assert.ok(api && folder);
  fs.rmSync(path.join(folder, "undo-new"), { recursive: true, force: true });
  fs.writeFileSync(path.join(folder, "undo-a.txt"), "as it was\n");
  const model = new FakeModel(
    [
      says("write_to_file", { filename: "undo-a.txt", contents: "the agent's\n" }),
      says("write_to_file", { filename: "undo-new/b.txt", contents: "new\n" }),
      says("task_complete", { reason: "Done." }),
    ],
    ["text"],
  );
  const run = await api.startRun({ task: "Change two files.", model });
  for (const step of [1, 2, 3]) await decideWhenAsked(run, step, { allow: true });
  await run.end;
  return { run, folder };
}

const read = (...parts: readonly string[]): string | undefined => {
  const file = path.join(...parts);
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined;
};

describe("undo in the editor", () => {
  it("takes back what a run did, and puts it back when that is undone", async () => {
    const { run, folder } = await finishedRun();
    const state = () => [read(folder, "undo-a.txt"), read(folder, "undo-new", "b.txt")];
    const done = state();
    await run.undo();
    const undone = state();
    await vscode.commands.executeCommand("autogpt.redo", run.id);
    assert.deepEqual(
      { done, undone, redone: state(), folder: fs.existsSync(path.join(folder, "undo-new")) },
      {
        done: ["the agent's\n", "new\n"],
        undone: ["as it was\n", undefined],
        redone: ["the agent's\n", "new\n"],
        folder: true,
      },
    );
  });

  it("names a file that was changed since, and leaves it alone", async () => {
    const { run, folder } = await finishedRun();
    fs.writeFileSync(path.join(folder, "undo-a.txt"), "mine\n");
    await assert.rejects(run.undo(1), { message: "Left as it is: undo-a.txt (It was changed afterward.)." });
    assert.equal(read(folder, "undo-a.txt"), "mine\n");
  });
});
