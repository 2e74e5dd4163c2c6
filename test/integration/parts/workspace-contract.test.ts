import { nodeWorkspace } from "../../../src/node/workspace.ts";
import { editorWorkspace } from "../../../src/vscode/workspace/editor-workspace.ts";
import { workspaceContract } from "../../contract/workspace.contract.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const tempFolder = tempFolders();

workspaceContract("the folders of the editor", async () => {
  const folder = await tempFolder();
  return {
    folder,
    workspace: editorWorkspace(nodeWorkspace({ folders: [{ name: "project", path: folder }] })),
  };
});
