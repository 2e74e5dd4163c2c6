import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { formatTitleWithFolder, openFolderName } from "../../../src/vscode/workspace/folders.ts";
import { FakeModel, says } from "../../support/fake-model.ts";
import { decideWhenAsked, ourApi } from "../our-api.ts";
import { openFolder } from "./open-folder.ts";

const ALLOW = { allow: true } as const;

describe("a run in one of several workspace folders", () => {
  it("shows the model all of them, reads from the others and creates files in its own", async () => {
    const [lib, app] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(lib && app);
    const model = new FakeModel([
      says("read_file", { filename: "guide.txt" }),
      says("write_to_file", { filename: "guide.txt", contents: "Of the app.\n" }),
      says("task_complete", { reason: "Done." }),
    ]);
    const api = await ourApi();
    const handle = await api.startRun({ task: "Copy the guide", model, folder: app.uri });
    await decideWhenAsked(handle, 2, ALLOW);
    await decideWhenAsked(handle, 3, ALLOW);
    await handle.end;

    const told = JSON.stringify(model.requests.at(-1)?.messages);
    assert.deepEqual(
      {
        namesBoth: told.includes(JSON.stringify(`"app" (${app.uri.fsPath}), "lib" (${lib.uri.fsPath})`).slice(1, -1)),
        read: told.includes("What the library is for."),
        own: fs.readFileSync(path.join(app.uri.fsPath, "guide.txt"), "utf8"),
        other: fs.readFileSync(path.join(lib.uri.fsPath, "guide.txt"), "utf8"),
      },
      { namesBoth: true, read: true, own: "Of the app.\n", other: "What the library is for.\n" },
    );
  });

  it("uses a folder that is added while it works, next to one of the same name, until it is removed", async () => {
    const [, app] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(app);
    const other = fs.mkdtempSync(path.join(os.tmpdir(), "autogpt-added-"));
    fs.writeFileSync(path.join(other, "added.txt"), "Of the added folder.\n");
    const close: { folder?: () => Promise<void> } = {};
    const model = new FakeModel([
      async () => {
        close.folder = await openFolder(vscode.Uri.file(other), "lib");
        return says("read_file", { filename: "lib (2)/added.txt" });
      },
      async () => {
        await close.folder?.();
        return says("read_file", { filename: path.join(other, "added.txt") });
      },
      says("task_complete", { reason: "Done." }),
    ]);
    const api = await ourApi();
    const handle = await api.startRun({ task: "Read what is added", model, folder: app.uri });
    await decideWhenAsked(handle, 3, ALLOW);
    await handle.end;
    fs.rmSync(other, { recursive: true });
    const [, second, third] = model.requests.map(({ messages }) => JSON.stringify(messages));
    assert.deepEqual(
      {
        outcomes: handle.state.recent.map(({ outcome }) => outcome?.status),
        read: second?.includes("Of the added folder."),
        told: second?.includes("The user added the folder"),
        toldAfter: third?.includes("The user added the folder"),
        refused: JSON.stringify(handle.state.recent[1]?.outcome).includes("outside the workspace"),
      },
      {
        outcomes: ["done", "failed", "finished"],
        read: true,
        told: true,
        toldAfter: false,
        refused: true,
      },
    );
  });
});

describe("what is asked about one of several workspace folders", () => {
  it("names the folder", () => {
    const [, app] = vscode.workspace.workspaceFolders ?? [];
    const folder = app?.uri.fsPath ?? "";
    assert.deepEqual(
      [formatTitleWithFolder(folder, "Search memory"), openFolderName(folder)],
      ["Search memory: app", "app"],
    );
  });
});
