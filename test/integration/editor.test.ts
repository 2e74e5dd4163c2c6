import assert from "node:assert/strict";
import path from "node:path";
import * as vscode from "vscode";
import { decideWhenAsked, ourApi } from "./our-api.ts";

describe("a problem in an editor", () => {
  const PROBLEM = new vscode.Range(0, 2, 0, 5);

  for (const [place, cursor, command] of [
    ["can be given to the agent to fix", PROBLEM, "autogpt.startFromSelection"],
    ["can be given to it from anywhere on its line", new vscode.Range(0, 0, 0, 0), "autogpt.startFromSelection"],
    ["is not offered on other lines", new vscode.Range(1, 0, 1, 0), undefined],
  ] as const)
    it(place, async () => {
      await ourApi();
      const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
      const document = await vscode.workspace.openTextDocument(path.join(folder, "README.md"));
      const problems = vscode.languages.createDiagnosticCollection("tests");
      const problem = new vscode.Diagnostic(PROBLEM, "This is not right.");
      problems.set(document.uri, [problem]);
      const actions = await vscode.commands.executeCommand<readonly vscode.CodeAction[]>(
        "vscode.executeCodeActionProvider",
        document.uri,
        cursor,
      );
      problems.dispose();

      const fix = actions.find(({ title }) => title === "Fix with AutoGPT");
      assert.deepEqual(
        { kind: fix?.kind?.value, command: fix?.command?.command, problems: fix?.command?.arguments?.[2] },
        {
          kind: command && "quickfix",
          command,
          problems: command && [problem],
        },
      );
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

    assert.deepEqual([handle.state.model.smart, end], ["Fixture", { reason: "finished", summary: "Looked." }]);
  });
});
