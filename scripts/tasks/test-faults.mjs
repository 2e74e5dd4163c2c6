// The fault suite: runs that are killed and gone on with, also in the extension host of a real VS Code; a model server that
// misbehaves, disks that fail, runs of very many steps. Takes many minutes. The extension is packaged first unless --no-package is
// given. Other arguments go to mocha; patterns of test files replace ours. FAULTS_MOMENTS says at how many random moments a run is
// killed, FAULTS_RUNS how many runs meet the bad server, FAULTS_STEPS and FAULTS_EDITOR_STEPS how long the long runs are, and
// FAULTS_FILES how many files an accept has that is killed at every FAULTS_STEP-th change of the disk; with 1 it takes hours.
import fs from "node:fs";
import { prepareHost } from "../setup/host.mjs";
import { runNode } from "../setup/node-program.mjs";

const args = process.argv.slice(2);
const forMocha = args.filter((arg) => arg !== "--no-package");
const mocha = [
  ...["--reporter", "test/host/counted-spec.ts", "--require", "test/e2e/support/hooks.ts", "--fail-zero"],
  ...forMocha,
  ...(forMocha.some((arg) => arg.endsWith(".ts")) ? [] : fs.globSync("test/faults/*.faults.ts").sort()),
];
const steps = [...(args.includes("--no-package") ? [] : [["scripts/tasks/package.mjs"]]), ["mocha", ...mocha]];

await prepareHost();
for (const step of steps) {
  const { code } = await runNode(step, { env: { AUTOGPT_E2E: "packaged" } });
  process.exitCode = code;
  if (code !== 0) break;
}
