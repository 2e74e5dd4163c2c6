// Builds, packages, and checks what is in the package.
import fs from "node:fs";
import { runNode } from "../setup/node-program.mjs";
import { findTroubles, VSIX, writeVsix } from "../setup/vsix.mjs";

const { code } = await runNode(["esbuild.mjs", "--production"]);
if (code !== 0) process.exit(code);
await writeVsix();
const troubles = await findTroubles();
for (const trouble of troubles) console.error(trouble);
if (troubles.length === 0) console.log(`${VSIX} (${Math.ceil(fs.statSync(VSIX).size / 1000)} kB) is in order.`);
process.exitCode = troubles.length === 0 ? 0 : 1;
