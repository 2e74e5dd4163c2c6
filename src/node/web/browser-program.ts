import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const NAMES = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "microsoft-edge",
  "microsoft-edge-stable",
  "brave-browser",
];

const MAC = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  "/Applications/Brave Browser.app/Contents/MacOS/Brave Browser",
];

const WINDOWS = ["Google\\Chrome\\Application\\chrome.exe", "Microsoft\\Edge\\Application\\msedge.exe"];

/** Where a browser is that can be driven without a window; `setting` is `auto`, `off` or a path. */
export function browserProgram(
  setting: string,
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (setting === "off") return undefined;
  if (setting !== "auto" && setting !== "") return isProgram(setting) ? setting : undefined;
  return candidates(env, platform).find(isProgram);
}

function candidates(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): readonly string[] {
  if (platform === "darwin") return MAC;
  if (platform !== "win32")
    return (env.PATH ?? "").split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  const folders = [env.ProgramFiles, env["ProgramFiles(x86)"], env.LOCALAPPDATA].filter((path) => path);
  return folders.flatMap((folder) => WINDOWS.map((name) => `${folder}\\${name}`));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
