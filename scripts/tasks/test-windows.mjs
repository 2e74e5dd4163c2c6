// A chosen part of the unit tests, and a scenario by the command line, on Windows: on Windows itself, or on Linux under Wine, which is set up
// first. Arguments: names of groups, to run only these.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { runStages } from "../setup/stages.mjs";
import { summarise } from "../setup/summary.mjs";
import { findWineProblem, prepareWine } from "../setup/wine.mjs";

const UNIT = "test/unit";

/** The tests of each group. Those that take longest come first. */
const GROUPS = {
  memory: [`${UNIT}/memory/**/*.test.ts`],
  models: [`${UNIT}/models/**/*.test.ts`],
  commands: [`${UNIT}/commands/**/*.test.ts`],
  scenario: ["test/windows/*.windows.ts"],
  runtime: [`${UNIT}/runtime/**/*.test.ts`],
  node: [`${UNIT}/{disk,node}/**/*.test.ts`],
  core: [`${UNIT}/core/**/*.test.ts`],
  mcp: [`${UNIT}/plugins/mcp/*.test.ts`],
  runs: [`${UNIT}/runs/**/*.test.ts`],
  isolation: [`${UNIT}/isolation/**/*.test.ts`],
  panel: [`${UNIT}/{editor,webview}/**/*.test.ts`],
  safety: [`${UNIT}/safety/**/*.test.ts`],
};

const names = process.argv.slice(2);
const wrong = names.find((name) => !Object.hasOwn(GROUPS, name));
if (wrong !== undefined) {
  console.error(`There is no group ${JSON.stringify(wrong)}. The groups are: ${Object.keys(GROUPS).join(", ")}.`);
  process.exitCode = 1;
} else process.exitCode = await test();

async function test() {
  const isWindows = process.platform === "win32";
  const problem = isWindows ? undefined : findWineProblem();
  if (problem !== undefined) {
    console.log(`Tests on Windows were skipped: ${problem}`);
    return 0;
  }
  if (!isWindows) await prepareWine();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "skips-"));
  process.env.TEST_SKIPS = path.join(folder, "skips");
  const mocha = isWindows ? "mocha" : "scripts/windows/mocha.mjs";
  const stages = Object.entries(GROUPS)
    .filter(([name]) => names.length === 0 || names.includes(name))
    .map(([name, files]) => ({
      name,
      command: [mocha, "--exit", "--reporter", "test/host/counted-spec.ts", ...files],
      tests: true,
    }));
  const results = await runStages(stages, { atOnce: 2 });
  const isFine = summarise(results, countSkips(process.env.TEST_SKIPS));
  fs.rmSync(folder, { recursive: true, force: true });
  return isFine ? 0 : 1;
}

/** A line for each reason for which tests were skipped. */
function countSkips(file) {
  const reasons = fs.existsSync(file) ? fs.readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  return Object.entries(Object.groupBy(reasons, (reason) => reason)).map(
    ([reason, all]) => `${all.length} skipped without ${reason}`,
  );
}
