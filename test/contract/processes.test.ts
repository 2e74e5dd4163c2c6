import { createNodeProcesses } from "../../src/node/processes/background-processes.ts";
import { tempFolders } from "../support/temp-folders.ts";
import { processesContract } from "./processes.contract.ts";

describe("processes of this machine", () => {
  const tempFolder = tempFolders();
  processesContract("node", async (env) => {
    const folder = await tempFolder();
    return { folder, processes: createNodeProcesses({ outputFolder: folder, env }) };
  });
});
