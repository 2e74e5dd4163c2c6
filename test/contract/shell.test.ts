import { join } from "node:path";
import { nodeOutputs } from "../../src/node/processes/outputs.ts";
import { type ShellProgram, shellProgram } from "../../src/node/processes/programs.ts";
import { nodeShell } from "../../src/node/processes/shell.ts";
import { tempFolders } from "../support/temp-folders.ts";
import { type ShellUnderTest, shellContract } from "./shell.contract.ts";

const tempFolder = tempFolders();

async function shellWith(env: NodeJS.ProcessEnv, program: ShellProgram): Promise<ShellUnderTest> {
  const folder = await tempFolder();
  const outputFolder = join(folder, "kept", "outputs");
  return { folder, shell: nodeShell({ outputFolder, env, program }), outputs: nodeOutputs(outputFolder) };
}

shellContract("bash on this machine", (env) => shellWith(env, shellProgram(env)));
shellContract("sh on this machine", (env) =>
  shellWith(env, { ...shellProgram(env), name: "sh", path: "/bin/sh" }),
);
