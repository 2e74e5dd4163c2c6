import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import * as vscode from "vscode";

describe("the test host", () => {
  it("activates the extension in a trusted copy of the sample workspace", async () => {
    const extension = vscode.extensions.getExtension("autogpt-vscode.autogpt");
    await extension?.activate();

    const folder = vscode.workspace.workspaceFolders?.[0];
    assert.deepEqual(
      { active: extension?.isActive, folder: folder?.name, trusted: vscode.workspace.isTrusted },
      { active: true, folder: "sample-workspace", trusted: true },
    );
  });

  it("lets import.meta in a test mean its source file", () => {
    assert.equal(fs.existsSync(path.join(import.meta.dirname, "host.test.ts")), true);
  });

  it("offers a language model with scripted replies", async function () {
    // VS Code has the means for it since 1.104, and the oldest one under test is older.
    if (!("registerLanguageModelChatProvider" in vscode.lm)) this.skip();
    const models = vscode.extensions.getExtension("autogpt-tests.model-extension");
    const fixture = await models?.activate();
    fixture.play(["Hello from the fixture."]);
    const [model] = await vscode.lm.selectChatModels({ vendor: "autogpt-tests" });
    assert.ok(model);

    const response = await model.sendRequest([vscode.LanguageModelChatMessage.User("Hello")]);
    let text = "";
    for await (const piece of response.text) text += piece;

    assert.equal(text, "Hello from the fixture.");
  });
});
