import { createNodeWorkspace } from "../../src/node/workspace.ts";
import { tempFolders } from "../support/temp-folders.ts";
import { testFiles } from "../support/test-ripgrep.ts";
import { workspaceContract } from "./workspace.contract.ts";

const tempFolder = tempFolders();

workspaceContract("folders on the disk", async () => {
  const folder = await tempFolder();
  return { folder, workspace: createNodeWorkspace({ folders: [{ name: "project", path: folder }] }) };
});

workspaceContract("folders on the disk, with ripgrep", async () => {
  const folder = await tempFolder();
  return {
    folder,
    workspace: createNodeWorkspace({ folders: [{ name: "project", path: folder }], files: testFiles() }),
  };
});
