import assert from "node:assert/strict";
import * as vscode from "vscode";

describe("the test host without a folder", () => {
  it("opens an empty window", () => {
    assert.equal(vscode.workspace.workspaceFolders, undefined);
  });
});
