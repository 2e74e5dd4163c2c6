import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { WebError } from "../../core/ports/services.ts";
import { listBrowserFlags, startBrowser } from "../browser/program.ts";
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
    const flags = [
      "--headless=new",
      "--dump-dom",
      `--virtual-time-budget=${PAGE_MS}`,
      "--blink-settings=imagesEnabled=false",
      ...listBrowserFlags(proxy.port, profile),
    ];
    try {
      return await dumpPage(program, [...flags, url.href], most, signal);
    } finally {
      await proxy.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 });
    }
  };
}

async function dumpPage(
  program: string,
  args: readonly string[],
  most: number,
  signal: AbortSignal,
): Promise<ResponseBody> {
  const { child, end } = await startBrowser(program, args, ["ignore", "pipe", "ignore"]);
  const stdout = child.stdout as Readable;
  const clock = AbortSignal.timeout(SECONDS * 1000);
  const stopped = AbortSignal.any([signal, clock]);
  const stop = (): void => void stdout.destroy();
  stopped.addEventListener("abort", stop, { once: true });
  try {
    const body = await readFirstBytes(stdout, most);
    signal.throwIfAborted();
    if (clock.aborted)
      throw new WebError(`The browser didn't finish the page within ${SECONDS} seconds. Take another source.`);
    if (body.bytes.length === 0) throw new WebError("The browser could not open the page. Take another source.");
    return body;
  } finally {
    stopped.removeEventListener("abort", stop);
    await end();
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
