// Integration tests against dist/, which is built first unless --no-build is given. Other arguments go to the runner.
import { prepareHost } from "../setup/host.mjs";
import { runNode } from "../setup/node-program.mjs";

const args = process.argv.slice(2);
const steps = [
  ...(args.includes("--no-build") ? [] : [["esbuild.mjs"]]),
  ["test/integration/run.ts", ...args.filter((arg) => arg !== "--no-build")],
];

await prepareHost();
for (const step of steps) {
  const { code } = await runNode(step);
  process.exitCode = code;
  if (code !== 0) break;
}
