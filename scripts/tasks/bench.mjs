// Runs the benchmarks one after the other, so that none disturbs another. Arguments choose those whose file name
// contains one of them; without arguments all run.
import fs from "node:fs";
import path from "node:path";
import { prepareHost } from "../setup/host.mjs";
import { runNode, runOrExit } from "../setup/node-program.mjs";
import { inRoot } from "../setup/root.mjs";

const wanted = process.argv.slice(2);
const files = fs
  .globSync("test/bench/**/*.bench.ts", { cwd: inRoot() })
  .filter((file) => wanted.length === 0 || wanted.some((part) => path.basename(file).includes(part)))
  .sort();

if (files.length === 0) {
  console.error(`No benchmark in test/bench has ${wanted.join(" or ") || "been written"} in its name.`);
  process.exit(1);
}
await prepareHost();
await runOrExit(["scripts/tasks/package.mjs"]);
let failed = false;
for (const file of files) {
  console.log(`\n# ${file}`);
  failed = (await runNode(["--expose-gc", file])).code !== 0 || failed;
}
process.exitCode = failed ? 1 : 0;
