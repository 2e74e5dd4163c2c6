import assert from "node:assert/strict";
import * as vscode from "vscode";

describe("the restricted test host", () => {
  it("opens a workspace that nobody has trusted", () => {
    const { isTrusted, workspaceFolders } = vscode.workspace;
    assert.deepEqual({ isTrusted, folders: workspaceFolders?.length }, { isTrusted: false, folders: 1 });
  });
});
