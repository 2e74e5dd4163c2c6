import assert from "node:assert/strict";
import * as vscode from "vscode";
import { FileIndexes } from "../../../src/node/search/file-index.ts";
import { createRipgrepFinder, listEditorRipgrepPaths } from "../../../src/node/search/find-ripgrep.ts";
import { createNodeWorkspace } from "../../../src/node/workspace.ts";
import { createEditorWorkspace } from "../../../src/vscode/workspace/editor-workspace.ts";
import { workspaceContract } from "../../contract/workspace.contract.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const tempFolder = tempFolders();

const ripgrep = createRipgrepFinder(listEditorRipgrepPaths(vscode.env.appRoot));
const files = new FileIndexes({ ripgrep, leftOut: () => false });

workspaceContract("the folders of the editor", async () => {
  const folder = await tempFolder();
  assert.ok(await ripgrep(), "VS Code's ripgrep wasn't found.");
  return {
    folder,
    workspace: createEditorWorkspace(createNodeWorkspace({ folders: [{ name: "project", path: folder }], files })),
  };
});
