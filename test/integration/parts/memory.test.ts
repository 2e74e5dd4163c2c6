import assert from "node:assert/strict";
import * as vscode from "vscode";
import { FakeModel, says } from "../../support/fake-model.ts";
import { decideWhenAsked, ourApi } from "../our-api.ts";

const ALLOW = { allow: true } as const;
const FINISH = says("task_complete", { reason: "Done." });

/** The end of the first prompt of a run with this task, and the run's id. */
async function firstPrompt(task: string, ...answers: ReturnType<typeof says>[]) {
  const api = await ourApi();
  const model = new FakeModel([...answers, FINISH]);
  const handle = await api.startRun({ task, model });
  for (let step = 1; step <= answers.length + 1; step++) await decideWhenAsked(handle, step, ALLOW);
  await handle.end;
  return { id: handle.id, told: model.requests[0]?.messages.at(-1)?.content ?? "" };
}

describe("the memory in the editor", () => {
  it("keeps a run's steps, and recalls them in the next run under that run's name", async () => {
    const echo = says("execute_shell", { command_line: "echo zebra crossing" });
    const first = await firstPrompt("Paint the zebra crossing", echo);
    const second = await firstPrompt("Where was the zebra crossing painted?");
    assert.match(
      second.told,
      new RegExp(`begin data from memory: run ${first.id}: .*echo zebra crossing`, "s"),
    );
  });

  it("keeps what the user selects, with its place", async () => {
    const [file] = await vscode.workspace.findFiles("**/*.{md,ts,txt,js}", "**/node_modules/**", 1);
    assert.ok(file, "The test's workspace has a text file.");
    const editor = await vscode.window.showTextDocument(file);
    editor.selection = new vscode.Selection(0, 0, 1, 0);
    await vscode.commands.executeCommand("autogpt.addToMemory");
    const { told } = await firstPrompt(editor.document.getText(editor.selection));
    assert.match(
      told,
      new RegExp(`begin data from memory: note: ${vscode.workspace.asRelativePath(file)}, lines 1 to 2`),
    );
  });
});
