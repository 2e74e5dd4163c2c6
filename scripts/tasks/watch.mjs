import { runNode } from "../setup/node-program.mjs";

const { code } = await runNode(["esbuild.mjs", "--watch", ...process.argv.slice(2)]);
process.exitCode = code;
