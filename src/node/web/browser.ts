import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getErrorMessage } from "../../core/base/errors.ts";
import { WebError } from "../../core/ports/services.ts";
import { createProcessMark, createProcessTree, markEnvironment } from "../processes/process-tree.ts";
import { findOnPath, isExecutable } from "../processes/programs.ts";
import { createShellEnvironment } from "../processes/shell-environment.ts";
import type { AddressCheck } from "./address-check.ts";
import { startCheckedProxy } from "./checked-proxy.ts";
import type { ResponseBody } from "./get.ts";

/** Opens a page in a browser, lets its scripts run for a while, and returns up to `most` bytes of its HTML. Throws `WebError`. */
export type Browse = (url: URL, most: number, signal: AbortSignal) => Promise<ResponseBody>;

const SECONDS = 45;
/** Time limit on the page's own clock, which stops while its requests are pending. */
const PAGE_MS = 8000;

/** Creates a headless browser with a temporary profile. It can access the network only through `checkAddress`. */
export function createBrowser(program: string, checkAddress: AddressCheck): Browse {
  return async (url, most, signal) => {
    signal.throwIfAborted();
    const proxy = await startCheckedProxy(checkAddress);
    const profile = await mkdtemp(join(tmpdir(), "autogpt-browser-"));
    try {
      return await dumpPage(program, [...listFlags(proxy.port, profile), url.href], most, signal);
    } finally {
      await proxy.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 });
    }
  };
}

function listFlags(port: number, profile: string): readonly string[] {
  const isRoot = process.getuid?.() === 0;
  return [
    "--headless=new",
    "--dump-dom",
    `--virtual-time-budget=${PAGE_MS}`,
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
    "--blink-settings=imagesEnabled=false",
    // Browsers don't start as root otherwise. Root usually means a container.
    ...(isRoot ? ["--no-sandbox"] : []),
  ];
}

async function dumpPage(
  program: string,
  args: readonly string[],
  most: number,
  signal: AbortSignal,
): Promise<ResponseBody> {
  const mark = createProcessMark();
  const child = spawn(program, args, {
    env: markEnvironment(createShellEnvironment(process.env, []), mark),
    stdio: ["ignore", "pipe", "ignore"],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  if (child.pid === undefined) throw new WebError(await waitForStartError(child));
  const tree = createProcessTree(child.pid, mark);
  const clock = AbortSignal.timeout(SECONDS * 1000);
  const stopped = AbortSignal.any([signal, clock]);
  const stop = (): void => void child.stdout.destroy();
  stopped.addEventListener("abort", stop, { once: true });
  try {
    const body = await readFirstBytes(child.stdout, most);
    signal.throwIfAborted();
    if (clock.aborted)
      throw new WebError(`The browser didn't finish the page within ${SECONDS} seconds. Take another source.`);
    if (body.bytes.length === 0) throw new WebError("The browser could not open the page. Take another source.");
    return body;
  } finally {
    stopped.removeEventListener("abort", stop);
    await tree.end();
  }
}

async function readFirstBytes(stream: AsyncIterable<Buffer>, most: number): Promise<ResponseBody> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of stream) {
      chunks.push(chunk.subarray(0, most - length));
      length += chunk.length;
      if (length > most) break;
    }
  } catch {
    // The stream was closed because the page took too long, or the user stopped it. The caller distinguishes
    // them.
  }
  return { bytes: Buffer.concat(chunks), isCut: length > most };
}

async function waitForStartError(child: ChildProcess): Promise<string> {
  const [error] = await once(child, "error");
  return `The browser could not be started (${getErrorMessage(error)}). The user can name another one in autogpt.web.browser.`;
}

const BROWSER_NAMES = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "microsoft-edge",
  "microsoft-edge-stable",
  "brave-browser",
];

const MAC_BROWSERS = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  "/Applications/Brave Browser.app/Contents/MacOS/Brave Browser",
];

const WINDOWS_BROWSERS = ["Google\\Chrome\\Application\\chrome.exe", "Microsoft\\Edge\\Application\\msedge.exe"];

/** The path of a browser that can run headless; `setting` is `auto`, `off` or a path. */
export function findBrowserProgram(
  setting: string,
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (setting === "off") return undefined;
  if (setting !== "auto" && setting !== "") return isExecutable(setting) ? setting : undefined;
  if (platform === "darwin") return MAC_BROWSERS.find(isExecutable);
  return platform === "win32" ? listWindowsBrowsers(env).find(isExecutable) : findOnPath(BROWSER_NAMES, env, platform);
}

function listWindowsBrowsers(env: NodeJS.ProcessEnv): readonly string[] {
  const folders = [env.ProgramFiles, env["ProgramFiles(x86)"], env.LOCALAPPDATA].filter((path) => path);
  return folders.flatMap((folder) => WINDOWS_BROWSERS.map((name) => `${folder}\\${name}`));
}
