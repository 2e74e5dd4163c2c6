import assert from "node:assert/strict";
import path from "node:path";
import * as vscode from "vscode";
import { decideWhenAsked, ourApi } from "./our-api.ts";

describe("a problem in an editor", () => {
  it("can be given to the agent to fix", async () => {
    await ourApi();
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
    const document = await vscode.workspace.openTextDocument(path.join(folder, "README.md"));
    const range = new vscode.Range(0, 0, 0, 5);
    const problems = vscode.languages.createDiagnosticCollection("tests");
    problems.set(document.uri, [new vscode.Diagnostic(range, "This is not right.")]);
    const actions = await vscode.commands.executeCommand<readonly vscode.CodeAction[]>(
      "vscode.executeCodeActionProvider",
      document.uri,
      range,
    );
    problems.dispose();

    const fix = actions.find(({ title }) => title === "Fix with AutoGPT");
    assert.deepEqual([fix?.kind?.value, fix?.command?.command], ["quickfix", "autogpt.startFromSelection"]);
  });
});

describe("a model of VS Code's own", () => {
  it("does a task from its start to its end", async () => {
    const api = await ourApi();
    const fixture = await vscode.extensions.getExtension("autogpt-tests.model-extension")?.activate();
    fixture.play([
      { name: "list_files", input: { thoughts: { text: "I look." }, folder: "." } },
      { name: "task_complete", input: { thoughts: { text: "I saw." }, reason: "Looked." } },
    ]);
    const settings = vscode.workspace.getConfiguration("autogpt");
    await settings.update("model.provider", "vscode", vscode.ConfigurationTarget.Global);
    const handle = await api.startRun({ task: "Look around" });
    await decideWhenAsked(handle, 2, { allow: true });
    const end = await handle.end;
    await settings.update("model.provider", undefined, vscode.ConfigurationTarget.Global);

    assert.deepEqual(
      [handle.state.model.smart, end],
      ["Fixture", { reason: "finished", summary: "Looked." }],
    );
  });
});
