import { join } from "node:path";
import { createNodeOutputs } from "../../src/node/processes/outputs.ts";
import { chooseShellProgram, type ShellProgram } from "../../src/node/processes/programs.ts";
import { createNodeShell } from "../../src/node/processes/shell.ts";
import { tempFolders } from "../support/temp-folders.ts";
import { type ShellUnderTest, shellContract } from "./shell.contract.ts";

const tempFolder = tempFolders();

async function shellWith(env: NodeJS.ProcessEnv, program: ShellProgram): Promise<ShellUnderTest> {
  const folder = await tempFolder();
  const outputFolder = join(folder, "kept", "outputs");
  return {
    folder,
    shell: createNodeShell({ outputFolder, env, program }),
    outputs: createNodeOutputs(outputFolder),
  };
}

shellContract("bash on this machine", (env) => shellWith(env, chooseShellProgram(env)));
shellContract("sh on this machine", (env) =>
  shellWith(env, { ...chooseShellProgram(env), name: "sh", path: "/bin/sh" }),
);
