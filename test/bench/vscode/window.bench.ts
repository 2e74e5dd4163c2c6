// Memory of the window's page and of the extension host over 60 mixed steps with 30 approvals: at the start, at its most, and a minute later.
// `npm run bench window`
import fs from "node:fs";
import type { Page } from "playwright-core";
import { cardButton, endCard, startRun, untilArmed } from "../../e2e/support/runs.ts";
import { openOllamaStage } from "../../e2e/support/stage.ts";
import { complete, read, shell, write } from "../../e2e/support/steps.ts";
import { panel } from "../../e2e/support/webview.ts";
import { openViewContainer } from "../../e2e/support/workbench.ts";
import { check, exitWithChecks, table, tellMachine } from "../memory/report.ts";

const STEPS = 60;
const REST_MS = Number(process.env.BENCH_REST_MS ?? 60_000);
const MB = 1024 * 1024;

/** Memory of all pages together, as the system sees it, and the panel's elements. */
interface Figures {
  readonly megabytes: number;
  readonly heap: number;
  readonly nodes: number;
  /** Resident memory of the extension host. */
  readonly host: number;
}

const stage = await openOllamaStage();
const { page } = stage;
try {
  await openViewContainer(page, "AutoGPT");
  await panel(page).locator("#composer").waitFor();
  // A first run, so that what loads once counts for the start: an editor, a diff and a terminal.
  await startRun(stage, "Warm up", write("warm.txt", "up\n"), shell("echo up"), complete());
  await approve(1);
  await approve(2);
  await endCard(page, "Finished").waitFor();
  const start = await measure();
  const steps = Array.from({ length: STEPS }, (_, index) => {
    if (index % 2 === 0) return read("README.md");
    return index % 4 === 1 ? write(`file-${index}.txt`, `${index}\n`.repeat(100)) : shell(`echo ${index}`);
  });
  await startRun(stage, "Sixty mixed steps", ...steps, complete());
  let most = start;
  for (let step = 2; step <= STEPS; step += 2) {
    await approve(step);
    const now = await measure(false);
    most = {
      ...(now.megabytes > most.megabytes ? now : most),
      host: Math.max(now.host, most.host),
    };
  }
  await endCard(page, "Finished").waitFor();
  await page.waitForTimeout(REST_MS);
  const later = await measure();
  table(
    `The window's page, ${STEPS} mixed steps`,
    ["", "MB", "MB of the heap", "elements of the panel", "MB of the extension host"],
    Object.entries({ start, most, later }).map(([when, { megabytes, heap, nodes, host }]) => [
      when,
      megabytes.toFixed(0),
      heap.toFixed(1),
      String(nodes),
      host.toFixed(0),
    ]),
  );
  tellMachine();
  check("the page later, of its start", later.megabytes / start.megabytes, 1.2);
  check("elements of the panel", later.nodes, 1_500);
  check("MB of the extension host later, above its start", later.host - start.host, 40);
  check("MB of the extension host at its most, above its start", most.host - start.host, 60);
} finally {
  await stage.close();
}
exitWithChecks();

async function approve(step: number): Promise<void> {
  await untilArmed(page, step);
  await cardButton(page, step, "Approve").click();
}

async function measure(collects = true): Promise<Figures> {
  const session = await page.context().newCDPSession(page);
  if (collects) for (let time = 0; time < 3; time++) await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  const nodes = await panel(page).locator("*").count();
  return { megabytes: await measurePages(page), heap: usedSize / MB, nodes, host: readResidentBytes(findHost()) / MB };
}

/** Resident memory of the browser's pages, in megabytes. */
async function measurePages(of: Page): Promise<number> {
  const browser = of.context().browser();
  if (!browser) throw new Error("The page has no browser.");
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const pages = processInfo.filter(({ type }) => type === "renderer");
  return pages.reduce((sum, { id }) => sum + readResidentBytes(id) / MB, 0);
}

/** The process of the extension host, below VS Code's server. */
function findHost(): number {
  const found = fs.readdirSync("/proc").find((id) => {
    if (!/^\d+$/.test(id)) return false;
    const line = readText(`/proc/${id}/cmdline`);
    return (
      line.includes("--type=extensionHost") && readText(`/proc/${id}/stat`).split(" ")[3] === String(stage.server.pid)
    );
  });
  if (found === undefined) throw new Error("VS Code's server has no extension host.");
  return Number(found);
}

/** The text of a file of a process; empty once that has ended. */
function readText(path: string): string {
  try {
    return fs.readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function readResidentBytes(process: number): number {
  const [, kilobytes = "0"] = /^VmRSS:\s*(\d+) kB$/m.exec(fs.readFileSync(`/proc/${process}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}
