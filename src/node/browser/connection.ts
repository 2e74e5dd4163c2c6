import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Browser, ConnectOverCDPTransport } from "playwright-core";
import { getErrorMessage } from "../../core/base/errors.ts";
import { WebError } from "../../core/ports/services.ts";
import { listBrowserFlags, startBrowser } from "./program.ts";

/** A browser that was started for a run, and the connection to it. */
export interface ConnectedBrowser {
  readonly browser: Browser;
  /** Ends the browser with all of its processes, and deletes its profile. */
  close(): Promise<void>;
}

/** Where and how a browser is started. */
export interface LaunchOptions {
  readonly program: string;
  readonly isVisible: boolean;
  /** The port of the proxy that all of its requests go through. */
  readonly proxyPort: number;
}

const START_MS = 30_000;
/** The longest message of the browser, such as a picture or a line of a page's console. */
const MOST_MESSAGE_BYTES = 64_000_000;

/**
 * Starts a browser with a profile of its own, and drives it through a pipe: another program of this machine can't. It ends when this process
 * does, because that closes the pipe. Throws `WebError`.
 */
export async function launchBrowser({ program, isVisible, proxyPort }: LaunchOptions): Promise<ConnectedBrowser> {
  if (isVisible && !hasDisplay())
    throw new WebError(
      "There is no display here to show the browser on. The user can turn autogpt.browser.visible off.",
    );
  const profile = await mkdtemp(join(tmpdir(), "autogpt-browser-"));
  const flags = [
    ...(isVisible ? [] : ["--headless=new", "--hide-scrollbars"]),
    "--remote-debugging-pipe",
    "--no-startup-window",
    "--disable-back-forward-cache",
    "--disable-features=Translate,MediaRouter,OptimizationHints,AutofillServerCommunication",
    ...listBrowserFlags(proxyPort, profile),
  ];
  const remove = () => rm(profile, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 });
  const started = await startBrowser(program, flags, ["ignore", "ignore", "ignore", "pipe", "pipe"]).catch(
    async (error: unknown) => {
      await remove();
      throw error;
    },
  );
  const close = async (): Promise<void> => {
    await started.end();
    await remove();
  };
  try {
    // A package of its own, which is loaded with the first page.
    const { chromium } = await import("playwright-core");
    const [, , , input, output] = started.child.stdio;
    const transport = createPipeTransport(input as Writable, output as Readable);
    const browser = await chromium.connectOverCDP(transport, { timeout: START_MS });
    return {
      browser,
      close: async () => {
        await browser.close().catch(() => undefined);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw new WebError(
      `The browser ${program} could not be driven (${getErrorMessage(error).split("\n")[0]}). The user can name another one in autogpt.web.browser.`,
    );
  }
}

function hasDisplay(): boolean {
  if (process.platform !== "linux") return true;
  return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/**
 * Messages of the DevTools protocol over a pipe, each ended by a zero byte. Each is handed on in a task of its own: what waits for one is then
 * ready for the next, which may have come in the same chunk.
 */
export function createPipeTransport(input: Writable, output: Readable): ConnectOverCDPTransport {
  const transport: ConnectOverCDPTransport = {
    send: (message) => void input.write(`${JSON.stringify(message)}\0`),
    close: () => input.destroy(),
  };
  let parts: Buffer[] = [];
  let length = 0;
  // A page decides on much of a message, so it must not end more than its browser.
  const guard = (action: () => void): void => {
    try {
      action();
    } catch {
      parts = [];
      for (const stream of [output, input]) stream.destroy();
    }
  };
  const keep = (part: Buffer): void => {
    length += part.length;
    if (length > MOST_MESSAGE_BYTES) throw new RangeError("A message of the browser is too long.");
    parts.push(part);
  };
  const receive = (chunk: Buffer): void => {
    let rest = chunk;
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
      keep(rest.subarray(0, end));
      const message = Buffer.concat(parts).toString("utf8");
      [parts, length] = [[], 0];
      rest = rest.subarray(end + 1);
      const parsed = JSON.parse(message) as object;
      setImmediate(() => guard(() => transport.onmessage?.(parsed)));
    }
    if (rest.length > 0) keep(rest);
  };
  output.on("data", (chunk: Buffer) => guard(() => receive(chunk)));
  output.once("close", () => setImmediate(() => transport.onclose?.("The browser has ended.")));
  for (const stream of [input, output]) stream.on("error", () => undefined);
  return transport;
}
