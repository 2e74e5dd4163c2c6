import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";

describe("the memory of an untrusted workspace", () => {
  it("is not loaded, whatever asks for it", async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
    const memory = join(folder, ".autogpt", "memory");
    mkdirSync(memory, { recursive: true });
    writeFileSync(join(memory, "meta.json"), '{"format":1,"embedder":"planted"}');
    const asked = ["searchMemory", "addToMemory", "saveNote", "clearMemory"].map((name) =>
      vscode.commands.executeCommand(`autogpt.${name}`),
    );
    await Promise.race([Promise.all(asked), new Promise((resolve) => setTimeout(resolve, 3_000))]);
    assert.equal(existsSync(join(memory, "lock")), false);
  });
});
