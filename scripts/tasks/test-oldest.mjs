// UI tests and integration tests in VS Code 1.103, the oldest that the extension is for. The
// first time it is installed into .cache/oldest. With --no-package the package that is there is used.
import fs from "node:fs";
import path from "node:path";
import { cachedPackages } from "../setup/cached-packages.mjs";
import { prepareHost } from "../setup/host.mjs";
import { runNode } from "../setup/node-program.mjs";
import { npm } from "../setup/npm.mjs";
import { inRoot } from "../setup/root.mjs";

const PLACE = "node_modules/code-server/lib/vscode";

/** Packages with native code that isn't built here, and what takes their place. */
const STAND_INS = {
  "@vscode/spdlog": "test/host/stand-ins/spdlog",
  "native-watchdog": "test/host/stand-ins/native-watchdog",
  "node-pty": "test/host/node_modules/node-pty",
};

/** What runs there: each kind of test once, and what depends most on the host. */
const UI_TESTS = ["test/e2e/smoke.e2e.ts", "test/e2e/demo.e2e.ts"];
const INTEGRATION_TESTS = ["activation", "api", "host", "diff-review", "undo", "runs-tree"];

/** Installs what this VS Code loads at run time, as its packager's own install script would. */
async function build(folder) {
  const vscode = path.join(folder, PLACE);
  npm(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], vscode);
  for (const [name, source] of Object.entries(STAND_INS)) {
    const target = path.join(vscode, "node_modules", name);
    fs.rmSync(target, { recursive: true, force: true });
    fs.cpSync(fs.realpathSync(inRoot(source)), target, { recursive: true });
  }
  fs.symlinkSync(inRoot("test/host/node_modules"), path.join(vscode, "extensions/node_modules"), "junction");
}

await prepareHost();
const folder = await cachedPackages("oldest", inRoot("test/oldest"), build);
const env = { AUTOGPT_VSCODE: path.join(folder, PLACE) };
const steps = [
  ["scripts/tasks/test-e2e.mjs", ...process.argv.slice(2), ...UI_TESTS],
  ["scripts/tasks/test-integration.mjs", ...INTEGRATION_TESTS],
];
for (const step of steps) {
  const { code } = await runNode(step, { env });
  if (code !== 0) process.exitCode = code;
}
