import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { NodeFolderWatch } from "../../../src/node/watch/folder-watch.ts";
import { watchSavesInEditor } from "../../../src/vscode/workspace/unsaved-files.ts";
import { inWorkspace, until } from "./workspace-files.ts";

describe("the watch of the editor's folders", () => {
  const home = inWorkspace("watched");
  const files = vscode.workspace.getConfiguration("files");

  afterEach(async () => {
    await files.update("watcherExclude", undefined, vscode.ConfigurationTarget.Workspace);
    await rm(home, { recursive: true, force: true });
  });

  it("knows what a program changes, also where VS Code's watcher is turned off", async () => {
    await files.update("watcherExclude", { "**/watched/**": true }, vscode.ConfigurationTarget.Workspace);
    await mkdir(path.join(home, "sub"), { recursive: true });
    await writeFile(path.join(home, "sub/a.txt"), "a");
    const extension = vscode.extensions.getExtension("autogpt-vscode.autogpt");
    const watch = new NodeFolderWatch(path.join(extension?.extensionPath ?? "", "dist/watch-worker.cjs"));
    const moment = await watch.remember(home, []);
    execFileSync(process.execPath, ["-e", "require('fs').renameSync('sub', 'moved')"], {
      cwd: home,
      env: { ...process.env, ELECTRON_RUN_AS_NODE: "1" },
    });
    const changes = await moment?.collectChanges();
    await watch.close();
    assert.deepEqual(
      changes?.map(({ path: changed, now }) => [path.relative(home, changed), now !== undefined]),
      [
        ["moved", true],
        ["moved/a.txt", true],
        ["sub", false],
        ["sub/a.txt", false],
      ],
    );
  });

  it("knows which files the user has saved since a moment", async () => {
    const listeners: vscode.Disposable[] = [];
    const saves = watchSavesInEditor(listeners);
    const file = path.join(home, "b.txt");
    await mkdir(home, { recursive: true });
    await writeFile(file, "b");
    const document = await vscode.workspace.openTextDocument(file);
    const before = Date.now();
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), "mine ");
    await vscode.workspace.applyEdit(edit);
    await document.save();
    await until("the save is known", () => saves.findSavedSince(before).has(file));
    const found = [saves.findSavedSince(before).has(file), saves.findSavedSince(Date.now() + 1).has(file)];
    vscode.Disposable.from(...listeners).dispose();
    assert.deepEqual(found, [true, false]);
  });
});
