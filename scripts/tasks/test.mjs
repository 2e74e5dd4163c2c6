// Everything there is to check, in stages. Its last line says how many tests and stages passed and failed.
import fs from "node:fs";
import path from "node:path";
import { findWalls } from "../../src/isolation/walls/find-walls.ts";
import { write } from "../../src/texts/language.ts";
import { runStages } from "../setup/stages.mjs";
import { summarise } from "../setup/summary.mjs";

/** The UI tests that share one window, and those that open windows of their own. */
const UI = Object.groupBy(fs.globSync("test/e2e/**/*.e2e.ts").sort(), (file) =>
  path.basename(path.dirname(file)) === "served" ? "served" : "others",
);

/**
 * A stage with `tests` fails if it ran none. Two run at once, so that two cores are busy (three were no faster); the longest come
 * first, so that they stay busy to the end.
 */
const STAGES = [
  { name: "package", command: ["scripts/tasks/package.mjs"] },
  { name: "command line", command: ["scripts/tasks/build-cli.mjs"] },
  { name: "VS Code for tests", command: ["scripts/tasks/setup.mjs"] },
  {
    name: "unit and contract",
    command: ["scripts/tasks/test-unit.mjs", "--coverage", "--built"],
    needs: ["command line", "VS Code for tests"],
    tests: true,
  },
  {
    name: "UI in one window",
    command: ["scripts/tasks/test-e2e.mjs", "--no-package", ...UI.served],
    needs: ["package", "VS Code for tests"],
    tests: true,
  },
  {
    name: "panel",
    command: ["scripts/tasks/test-panel.mjs"],
    needs: ["VS Code for tests"],
    tests: true,
  },
  {
    name: "integration",
    command: ["scripts/tasks/test-integration.mjs", "--no-build"],
    needs: ["package", "VS Code for tests"],
    tests: true,
  },
  {
    name: "UI in other windows",
    command: ["scripts/tasks/test-e2e.mjs", "--no-package", ...UI.others],
    needs: ["package", "VS Code for tests"],
    tests: true,
  },
  { name: "check", command: ["scripts/tasks/check.mjs"] },
  { name: "MCP conformance", command: ["scripts/tasks/test-mcp-conformance.mjs", "--quick"] },
];

const results = await runStages(STAGES, { atOnce: 2 });
const walls = await findWalls("bubblewrap");
const untested = walls.engine === "none" ? [`Bubblewrap's walls weren't tested. ${write(walls.why)}`] : [];
process.exitCode = summarise(results, untested) ? 0 : 1;
