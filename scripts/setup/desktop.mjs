import { spawnSync } from "node:child_process";
import { downloadAndUnzipVSCode, SilentReporter } from "@vscode/test-electron";
import { inRoot } from "./root.mjs";

const IDLE_MS = 10_000;

/** Whether a window can be opened here at all. */
export function hasDisplay() {
  return process.platform !== "linux" || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/** The `code` of an installed VS Code, if there is one on the PATH. */
export function installedDesktop() {
  const { status } = spawnSync("code", ["--version"], {
    shell: process.platform === "win32",
    stdio: "ignore",
  });
  return status === 0 ? "code" : undefined;
}

/** The executable of a VS Code of our own, downloaded when it is not there yet; undefined when it cannot be had. */
export async function downloadedDesktop() {
  process.stderr.write("Looking for a desktop VS Code to download …\n");
  try {
    return await downloadAndUnzipVSCode({
      version: "stable",
      cachePath: inRoot(".node", "vscode"),
      timeout: IDLE_MS,
      reporter: new SilentReporter(),
    });
  } catch {
    return undefined;
  }
}
