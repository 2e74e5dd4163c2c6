// Finds what packaging would refuse, without building: members of VS Code's API that are proposed or younger, in the sources that load it,
// and schemas whose validators can't be compiled.
import fs from "node:fs";
import { runNode } from "./setup/node-program.mjs";
import { inRoot } from "./setup/root.mjs";
import { sourceTroubles } from "./setup/stable-api.mjs";

const troubles = sourceTroubles();
for (const file of fs.globSync("src/schema/*-validators.ts", { cwd: inRoot() })) {
  const { code, output } = await runNode(["scripts/compile-validators.mjs", file], { capture: true });
  const [reason = output] = /^\w*Error: .*/m.exec(output) ?? [];
  if (code !== 0) troubles.push(`The validators of ${file} can't be compiled: ${reason}`);
}
for (const trouble of troubles) console.error(trouble);
if (troubles.length > 0) process.exitCode = 1;
