import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { ourApi } from "./our-api.ts";

const SETTINGS = ["model.smart", "run.continuousLimit"];

const globals = () =>
  Object.fromEntries(
    SETTINGS.map((name) => [name, vscode.workspace.getConfiguration("autogpt").inspect(name)?.globalValue]),
  );

describe("importing classic settings", () => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "classic-"));
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  const profile = path.join(folder, ".autogpt/profiles/classic-bob.yaml");
  const before = globals();

  after(async () => {
    const settings = vscode.workspace.getConfiguration("autogpt");
    for (const name of SETTINGS) await settings.update(name, before[name], vscode.ConfigurationTarget.Global);
    for (const place of [home, profile]) fs.rmSync(place, { recursive: true, force: true });
  });

  it("stores what is picked: settings for the user, and the profile in the workspace", async () => {
    await ourApi();
    fs.writeFileSync(path.join(home, ".env"), "SMART_LLM=gpt-4-classic\nCONTINUOUS_LIMIT=7\nREDIS_HOST=x\n");
    fs.writeFileSync(
      path.join(home, "ai_settings.yaml"),
      "ai_name: Classic Bob\nai_role: a helper\nai_goals: [Help.]\n",
    );
    let isOver = false;
    const importing = vscode.commands
      .executeCommand("autogpt.importClassicSettings", vscode.Uri.file(path.join(home, ".env")))
      .then(() => {
        isOver = true;
      });
    while (!isOver) {
      await vscode.commands.executeCommand("workbench.action.acceptSelectedQuickOpenItem");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await importing;
    assert.deepEqual(
      { settings: globals(), profile: fs.readFileSync(profile, "utf8").includes("Classic Bob") },
      { settings: { "model.smart": "gpt-4-classic", "run.continuousLimit": 7 }, profile: true },
    );
  });
});
