import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import manifest from "../../package.json" with { type: "json" };
import { ROOT, VSCODE } from "./places.ts";
import { whenThisProcessEnds } from "./process-tree.ts";

/** The package of this version. */
export const VSIX = path.join(ROOT, `${manifest.name}-${manifest.version}.vsix`);

let installation: Promise<string> | undefined;

/**
 * Installs the packaged extension the way a user does, once for all suites of this process, and returns the folder of
 * extensions that a server is to use.
 */
export function installExtension(): Promise<string> {
  installation ??= install();
  return installation;
}

async function install(): Promise<string> {
  if (!fs.existsSync(VSIX)) throw new Error(`There is no ${VSIX}. Run: npm run package`);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "installed-"));
  whenThisProcessEnds(() => fs.rmSync(folder, { recursive: true, force: true }));
  const extensions = path.join(folder, "extensions");
  const places = ["--extensions-dir", extensions, "--server-data-dir", path.join(folder, "data")];
  const command = [path.join(VSCODE, "out/server-main.js"), "--install-extension", VSIX, ...places];
  await promisify(execFile)(process.execPath, [...command, "--accept-server-license-terms"]);
  return extensions;
}

/** Adds an extension that is a plain folder to a folder of installed ones. */
export function installFolder(extensionsFolder: string, source: string): void {
  const { publisher, name, version } = JSON.parse(fs.readFileSync(path.join(source, "package.json"), "utf8"));
  const id = `${publisher}.${name}`;
  const relativeLocation = `${id}-${version}`;
  const target = path.join(extensionsFolder, relativeLocation);
  fs.cpSync(source, target, { recursive: true });
  const list = path.join(extensionsFolder, "extensions.json");
  const location = { $mid: 1, path: target.replaceAll("\\", "/"), scheme: "file" };
  const installed = JSON.parse(fs.readFileSync(list, "utf8"));
  fs.writeFileSync(list, JSON.stringify([...installed, { identifier: { id }, version, location, relativeLocation }]));
}
