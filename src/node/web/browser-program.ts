import { isExecutable, onPath } from "../executables.ts";

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
  if (setting !== "auto" && setting !== "") return isExecutable(setting) ? setting : undefined;
  if (platform === "darwin") return MAC.find(isExecutable);
  return platform === "win32" ? windowsBrowsers(env).find(isExecutable) : onPath(NAMES, env, platform);
}

function windowsBrowsers(env: NodeJS.ProcessEnv): readonly string[] {
  const folders = [env.ProgramFiles, env["ProgramFiles(x86)"], env.LOCALAPPDATA].filter((path) => path);
  return folders.flatMap((folder) => WINDOWS.map((name) => `${folder}\\${name}`));
}
