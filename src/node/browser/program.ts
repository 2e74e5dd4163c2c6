import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { getErrorMessage } from "../../core/base/errors.ts";
import { WebError } from "../../core/ports/services.ts";
import { createProcessMark, createProcessTree, markEnvironment } from "../processes/process-tree.ts";
import { findOnPath, isExecutable } from "../processes/programs.ts";
import { createShellEnvironment } from "../processes/shell-environment.ts";

/** A browser's process. */
interface StartedBrowser {
  readonly child: ChildProcess;
  /** Kills it with all of its processes. */
  end(): Promise<unknown>;
}

/** Starts a browser, without the secrets of this process. Throws `WebError`. */
export async function startBrowser(
  program: string,
  args: readonly string[],
  stdio: StdioOptions,
): Promise<StartedBrowser> {
  const mark = createProcessMark();
  const child = spawn(program, args, {
    env: markEnvironment(createShellEnvironment(process.env, []), mark),
    stdio,
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  if (child.pid === undefined) throw new WebError(await waitForStartError(child));
  const tree = createProcessTree(child.pid, mark);
  return { child, end: () => tree.end() };
}

async function waitForStartError(child: ChildProcess): Promise<string> {
  const [error] = await once(child, "error");
  return `The browser could not be started (${getErrorMessage(error)}). The user can name another one in autogpt.web.browser.`;
}

/** The flags of every browser of ours: a profile of its own, and no way to the network but the proxy at this port. */
export function listBrowserFlags(port: number, profile: string): readonly string[] {
  const isRoot = process.getuid?.() === 0;
  return [
    `--user-data-dir=${profile}`,
    `--proxy-server=http://127.0.0.1:${port}`,
    // Everything goes through the proxy, even addresses of this machine, and no name is resolved elsewhere.
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--metrics-recording-only",
    "--mute-audio",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--password-store=basic",
    "--use-mock-keychain",
    // Browsers don't start as root otherwise. Root usually means a container.
    ...(isRoot ? ["--no-sandbox"] : []),
  ];
}

/** A kind of browser, as `autogpt.browser.channel` names it. */
type BrowserChannel = "auto" | "chrome" | "edge" | "chromium";

/** Names of programs on the search path, and places of applications, by channel. */
const BROWSERS: Readonly<Record<Exclude<BrowserChannel, "auto"> | "brave", BrowserPlaces>> = {
  chromium: {
    names: ["chromium", "chromium-browser"],
    mac: ["Chromium"],
    windows: ["Chromium\\Application\\chrome.exe"],
  },
  chrome: {
    names: ["google-chrome", "google-chrome-stable", "chrome"],
    mac: ["Google Chrome"],
    windows: ["Google\\Chrome\\Application\\chrome.exe"],
  },
  edge: {
    names: ["microsoft-edge", "microsoft-edge-stable"],
    mac: ["Microsoft Edge"],
    windows: ["Microsoft\\Edge\\Application\\msedge.exe"],
  },
  brave: { names: ["brave-browser"], mac: ["Brave Browser"], windows: [] },
};

interface BrowserPlaces {
  readonly names: readonly string[];
  readonly mac: readonly string[];
  readonly windows: readonly string[];
}

/** The path of a browser that can run headless; `setting` is `auto`, `off` or a path, and `auto` looks for the channel. */
export function findBrowserProgram(
  setting: string,
  channel: BrowserChannel = "auto",
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (setting === "off") return undefined;
  if (setting !== "auto" && setting !== "") return isExecutable(setting) ? setting : undefined;
  const places = channel === "auto" ? Object.values(BROWSERS) : [BROWSERS[channel]];
  if (platform === "darwin") return places.flatMap(({ mac }) => mac.map(getMacPath)).find(isExecutable);
  if (platform !== "win32")
    return findOnPath(
      places.flatMap(({ names }) => names),
      env,
      platform,
    );
  const folders = [env.ProgramFiles, env["ProgramFiles(x86)"], env.LOCALAPPDATA].filter((path) => path);
  return folders
    .flatMap((folder) => places.flatMap(({ windows }) => windows.map((name) => `${folder}\\${name}`)))
    .find(isExecutable);
}

function getMacPath(name: string): string {
  return `/Applications/${name}.app/Contents/MacOS/${name}`;
}
