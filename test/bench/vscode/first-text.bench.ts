// From the click on the view's icon to its first text, activation included, beside a hello-world view. Medians.
import path from "node:path";
import type { Page } from "playwright-core";
import { launchChromium } from "../../host/chromium.ts";
import { openPage } from "../../host/page.ts";
import { ROOT } from "../../host/places.ts";
import { startServer } from "../../host/server.ts";
import { copyWorkspace } from "../../host/workspace.ts";
import { median } from "../memory/clock.ts";
import { check, exitWithChecks, table } from "../memory/report.ts";

const WINDOWS = Number(process.env.BENCH_WINDOWS ?? 5);
const HELLO = path.join(ROOT, "test/fixtures/hello-extension");

const ours = await clicks("AutoGPT", "Restoring…");
const page = await clicks("AutoGPT", "What should the agent do?");
const hello = await clicks("Hello World", "Hello from the view");
table(
  `From the click to the text, medians of ${WINDOWS} fresh windows`,
  ["", "ms"],
  [
    ["AutoGPT, first text", median(ours).toFixed(0)],
    ["AutoGPT, start page ready", median(page).toFixed(0)],
    ["hello world", median(hello).toFixed(0)],
  ],
);
check("first text in ms", Math.min(median(ours), median(page)), 500);
exitWithChecks();

async function clicks(title: string, text: string): Promise<readonly number[]> {
  const times: number[] = [];
  for (let window = 0; window < WINDOWS; window++) times.push(await click(title, text));
  return times;
}

async function click(title: string, text: string): Promise<number> {
  const workspace = copyWorkspace(path.join(ROOT, "test/fixtures/sample-workspace"));
  const server = await startServer();
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await openPage(page, { port: server.port, workspace: workspace.folder, extensions: [ROOT, HELLO] });
    const icon = page.locator(`.activitybar a.action-label[aria-label="${title}"]`);
    await icon.waitFor({ timeout: 60_000 });
    await page.waitForTimeout(5_000);
    const start = performance.now();
    await icon.click();
    await textIn(page, text);
    return performance.now() - start;
  } finally {
    await browser.close();
    server.stop();
    workspace.remove();
  }
}

/** Waits until some frame of the page shows the text. */
async function textIn(page: Page, text: string): Promise<void> {
  for (;;) {
    const shown = await Promise.all(
      page
        .frames()
        .map((frame) =>
          frame.evaluate((wanted) => document.body?.textContent?.includes(wanted) ?? false, text).catch(() => false),
        ),
    );
    if (shown.some(Boolean)) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
