import assert from "node:assert/strict";
import * as vscode from "vscode";
import { findUserContext } from "../../../src/vscode/workspace/task-from-context.ts";
import { closeEverything, writeInWorkspace } from "./workspace-files.ts";

describe("where the user is", () => {
  afterEach(closeEverything);

  it("is the selection, which the editor's menu gives by its file; in the explorer it is the file", async () => {
    const uri = vscode.Uri.file(writeInWorkspace("boats.txt", "Anna\nBerta\nClara\n"));
    const editor = await vscode.window.showTextDocument(uri);
    editor.selection = new vscode.Selection(1, 0, 2, 0);
    const other = vscode.Uri.file(writeInWorkspace("ships.txt", "Dora\n"));
    const selected = {
      context: "This is about boats.txt, lines 2 to 3:\n```\nBerta\n\n```",
      isLong: true,
      question: "start.askAboutSelection",
    };
    assert.deepEqual(
      [
        await findUserContext(undefined, undefined),
        await findUserContext(editor.document.uri, undefined),
        await findUserContext(uri, [uri]),
        await findUserContext(other, undefined),
        await findUserContext(uri, [uri, other]),
      ],
      [
        selected,
        selected,
        { context: "In boats.txt:", question: "start.askAboutFile" },
        { context: "In ships.txt:", question: "start.askAboutFile" },
        { context: "In boats.txt, ships.txt:", question: "start.askAboutFiles" },
      ],
    );
  });
});
