import { runNode } from "./node-program.mjs";
import { installPackages } from "./packages.mjs";
import { inRoot } from "./root.mjs";

/** Makes sure that the VS Code for tests and for `npm start` is installed; quick when it is. */
export async function prepareHost() {
  await installPackages(inRoot("test", "host"));
  const { code } = await runNode(["test/host/link.ts"]);
  if (code !== 0)
    throw new Error("VS Code's packages could not be linked. Delete test/host/node_modules and try again.");
}
