// A chosen part of the unit tests, and a scenario by the command line, on Windows: on Windows itself, or on Linux under Wine, which is set up
// first. Arguments: names of groups, to run only these.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { runStages } from "../setup/stages.mjs";
import { summarise } from "../setup/summary.mjs";
import { findWineProblem, prepareWine, runWindowsNode } from "../setup/wine.mjs";

const UNIT = "test/unit";

/** The tests of each group. */
const GROUPS = {
  scenario: ["test/windows/*.windows.ts"],
  core: [`${UNIT}/core/**/*.test.ts`],
  commands: [`${UNIT}/commands/**/*.test.ts`],
};

/** Tests that are left out as whole files, by what they need. */
const LEFT_OUT = {};

const names = process.argv.slice(2);
const wrong = names.find((name) => !Object.hasOwn(GROUPS, name));
if (wrong !== undefined) {
  console.error(`There is no group ${JSON.stringify(wrong)}. The groups are: ${Object.keys(GROUPS).join(", ")}.`);
  process.exitCode = 1;
} else process.exitCode = process.platform === "win32" ? await testHere() : await testInWine();

async function testInWine() {
  const problem = findWineProblem();
  if (problem === undefined)
    return runWindowsNode(await prepareWine(), [
      "--disable-warning=ExperimentalWarning",
      "scripts/tasks/test-windows.mjs",
      ...names,
    ]);
  console.log(`Tests on Windows were skipped: ${problem}`);
  return 0;
}

async function testHere() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "skips-"));
  process.env.TEST_SKIPS = path.join(folder, "skips");
  const ignored = Object.values(LEFT_OUT)
    .flat()
    .flatMap((file) => ["--ignore", file]);
  const stages = Object.entries(GROUPS)
    .filter(([name]) => names.length === 0 || names.includes(name))
    .map(([name, files]) => ({
      name,
      command: ["mocha", "--exit", "--reporter", "test/host/counted-spec.ts", ...files, ...ignored],
      tests: true,
    }));
  const results = await runStages(stages, { atOnce: 2 });
  const isFine = summarise(results, [...countSkips(process.env.TEST_SKIPS), ...listLeftOut()]);
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

function listLeftOut() {
  return Object.entries(LEFT_OUT).map(([what, files]) => `${files.length} files left out without ${what}`);
}
