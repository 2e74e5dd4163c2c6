import assert from "node:assert/strict";
import path from "node:path";
import * as vscode from "vscode";
import manifest from "../../package.json" with { type: "json" };
import { ourApi } from "./our-api.ts";

/** Settings that a workspace may decide; every other one belongs to the user alone. */
const OF_WORKSPACES: ReadonlySet<string> = new Set([
  "autogpt.model.temperature",
  "autogpt.model.replyFormat",
  "autogpt.approval.deny",
  "autogpt.commands.disabled",
  "autogpt.memory.enabled",
  "autogpt.memory.recallCount",
  "autogpt.memory.maxTokens",
  "autogpt.speech.enabled",
  "autogpt.log.level",
]);

/** A setting as package.json contributes it. */
interface Setting {
  readonly scope: string;
  readonly markdownDescription: string;
}

/** What VS Code itself registers for each view. */
const OF_VIEWS = /^autogpt\.(panel|runs)\./;

describe("activation", () => {
  it("loads nothing but its own small file", async () => {
    await ourApi();
    const dist = path.join(import.meta.dirname, "../../dist") + path.sep;

    const loaded = Object.keys(require.cache).filter((file) => file.startsWith(dist));
    assert.deepEqual(
      loaded.map((file) => path.basename(file)),
      ["extension.cjs"],
    );
  });

  it("registers exactly the contributed commands", async () => {
    await ourApi();
    const all = await vscode.commands.getCommands(true);

    const ours = all.filter((id) => id.startsWith("autogpt.") && !OF_VIEWS.test(id));
    assert.deepEqual(ours.sort(), manifest.contributes.commands.map(({ command }) => command).sort());
  });
});

describe("the settings", () => {
  const properties: Readonly<Record<string, Setting>> = Object.assign(
    {},
    ...manifest.contributes.configuration.map((group) => group.properties),
  );
  const settings = Object.entries(properties);

  it("leave to a workspace only what cannot widen what is allowed", () => {
    const ofUser = ["application", "machine"];
    const wrong = settings.filter(([name, { scope }]) => ofUser.includes(scope) === OF_WORKSPACES.has(name));

    assert.deepEqual(
      wrong.map(([name]) => name),
      [],
    );
  });

  it("are each described, and have a default unless that is the server's own", () => {
    const wrong = settings.filter(
      ([name, setting]) =>
        setting.markdownDescription === "" ||
        (!("default" in setting) && name !== "autogpt.model.temperature"),
    );

    assert.deepEqual(
      wrong.map(([name]) => name),
      [],
    );
  });
});
