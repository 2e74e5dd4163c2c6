import assert from "node:assert/strict";
import path from "node:path";
import * as vscode from "vscode";
import manifest from "../../package.json" with { type: "json" };
import { ourApi } from "./our-api.ts";

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
