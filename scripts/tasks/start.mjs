// Builds the extension and shows it: in the desktop VS Code where there is one, else in the browser. The argument is
// the folder to open; without one it is a copy of the sample workspace. With --no-package the package that is there is served.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { downloadedDesktop, hasDisplay, installedDesktop } from "../setup/desktop.mjs";
import { prepareHost } from "../setup/host.mjs";
import { runNode, runOrExit } from "../setup/node-program.mjs";
import { inRoot, ROOT } from "../setup/root.mjs";

const args = process.argv.slice(2);
const [asked] = args.filter((arg) => arg !== "--no-package");

/** Leaves the copy of the sample behind when the window outlives this process: its user may still want it. */
function openDesktop(executable) {
  const sample = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "autogpt-")), "sample-workspace");
  if (!asked) fs.cpSync(inRoot("test/fixtures/sample-workspace"), sample, { recursive: true });
  const folder = asked ? path.resolve(asked) : sample;
  const args = [
    "--new-window",
    `--extensionDevelopmentPath=${ROOT}`,
    `--extensionDevelopmentPath=${inRoot("scripts/start")}`,
    ...(asked ? [] : ["--disable-workspace-trust"]),
    folder,
  ];
  const shell = process.platform === "win32" && executable === "code";
  const child = spawn(executable, shell ? args.map((arg) => `"${arg}"`) : args, {
    stdio: "ignore",
    detached: true,
    shell,
  });
  child.unref();
  console.log(`VS Code opens the folder ${folder}, with AutoGPT's panel in view.`);
}

async function build() {
  console.log("Building and packaging AutoGPT …");
  await runOrExit(["scripts/tasks/package.mjs"]);
}

const desktop = hasDisplay() ? (installedDesktop() ?? (await downloadedDesktop())) : undefined;
if (desktop) {
  console.log("Building AutoGPT …");
  await runOrExit(["esbuild.mjs"]);
  openDesktop(desktop);
} else {
  console.log("No desktop VS Code was found, so VS Code is served to your browser.");
  // The packages of VS Code come from the network while this machine builds.
  const building = args.includes("--no-package") ? undefined : build();
  await prepareHost();
  await building;
  console.log("Starting VS Code with AutoGPT …");
  const { code } = await runNode(["test/host/serve.ts", ...(asked ? [asked] : [])]);
  process.exitCode = code;
}
