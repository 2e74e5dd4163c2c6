// Runs the benchmarks one after the other, so that none disturbs another. Arguments choose those whose path contains
// one of them; without arguments all run. Those in test/bench/vscode measure the packaged extension in VS Code.
import fs from "node:fs";
import { prepareHost } from "../setup/host.mjs";
import { runNode, runOrExit } from "../setup/node-program.mjs";
import { ROOT } from "../setup/root.mjs";

const wanted = process.argv.slice(2);
const files = fs
  .globSync("test/bench/**/*.bench.ts", { cwd: ROOT })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort();

if (files.some((file) => file.startsWith("test/bench/vscode/"))) {
  await prepareHost();
  await runOrExit(["scripts/tasks/package.mjs"]);
}
if (files.length === 0) console.error("No benchmark in test/bench has one of these words in its path.");
let passed = files.length > 0;
for (const file of files) {
  console.log(`\n# ${file}`);
  passed = (await runNode(["--expose-gc", file])).code === 0 && passed;
}
process.exitCode = passed ? 0 : 1;
