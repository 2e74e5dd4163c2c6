import { format } from "node:util";
import type { Page } from "playwright-core";
import { launchChromium } from "./chromium.ts";
import type { HostEnd, HostRun } from "./host-run.ts";
import { openPage } from "./page.ts";
import { type Server, startServer } from "./server.ts";

/** Starts a VS Code in a browser, lets it run a test module in its extension host, and takes everything down again. */
export async function runInExtensionHost(run: HostRun): Promise<HostEnd> {
  const server = await startServer(run);
  try {
    const browser = await launchChromium();
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const ended = endOf(page, server, run);
    await openPage(page, { ...run, port: server.port });
    const end = await ended;
    if ("trouble" in end) await page.screenshot({ path: run.picture }).catch(() => undefined);
    await browser.close();
    return end;
  } finally {
    server.stop();
  }
}

/** VS Code calls these two functions of the page when it runs a test module. */
async function endOf(page: Page, server: Server, run: HostRun): Promise<HostEnd> {
  const log = run.onLog ?? (() => undefined);
  const { promise, resolve } = Promise.withResolvers<HostEnd>();
  await page.exposeFunction("codeAutomationExit", (code: number) => resolve({ code }));
  await page.exposeFunction("codeAutomationLog", (_type: string, args: readonly unknown[]) => log(format(...args)));
  page.on("console", (message) => log(`[page] ${message.text()}`));
  page.on("pageerror", (error) => log(`[page] ${error.stack ?? error.message}`));
  page.on("crash", () => resolve({ trouble: "The page crashed." }));
  void server.ended.then(() => resolve({ trouble: `VS Code's server ended early. It printed:\n${server.output()}` }));
  void run.silence.then(() => resolve({ trouble: `Nothing happened for too long. See ${run.picture}.` }));
  return promise;
}
