// Mocha by Node for Windows under Wine, with what Wine needs around it. Arguments go to mocha. It's started again if Wine itself crashes, as
// it does at times, so this has a Wine of its own.
import fs from "node:fs";
import path from "node:path";
import { inRoot } from "../setup/root.mjs";
import { prepareWine, runWindowsNode } from "../setup/wine.mjs";

const MOST_STARTS = 3;
/** Variables that name a file for the tests to write to. */
const WRITTEN = ["TEST_COUNTS", "TEST_SKIPS"].filter((name) => process.env[name]);

const system = await prepareWine();
process.exitCode = (await runUntilWhole()) ?? 1;

async function runUntilWhole() {
  for (let starts = 0; starts < MOST_STARTS; starts++) {
    const code = await runOnce();
    if (code !== undefined) return code;
    console.log("\nWine crashed. These tests are run again.");
  }
}

async function runOnce() {
  const folder = fs.mkdtempSync(inRoot(".cache", "windows", "run-"));
  const toWindows = (file) => `C:\\autogpt\\${path.relative(inRoot("."), file).replaceAll("/", "\\")}`;
  const env = Object.fromEntries(WRITTEN.map((name) => [name, toWindows(path.join(folder, name))]));
  const compiled = toWindows(inRoot(".cache", "windows", "compiled"));
  const mocha = ["--disable-warning=ExperimentalWarning", "node_modules/mocha/bin/mocha.js", ...process.argv.slice(2)];
  try {
    const code = await runWindowsNode(system, mocha, { NODE_COMPILE_CACHE: compiled, ...env });
    if (code === undefined) return undefined;
    for (const name of WRITTEN) {
      const file = path.join(folder, name);
      if (fs.existsSync(file)) fs.appendFileSync(process.env[name], fs.readFileSync(file));
    }
    return code;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
