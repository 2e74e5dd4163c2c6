import assert from "node:assert/strict";
import * as vscode from "vscode";

describe("the restricted test host", () => {
  it("opens an untrusted workspace", () => {
    const { isTrusted, workspaceFolders } = vscode.workspace;
    assert.deepEqual({ isTrusted, folders: workspaceFolders?.length }, { isTrusted: false, folders: 1 });
  });
});
