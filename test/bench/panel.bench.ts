// What the panel needs to draw: a delta into a run of 1,000 steps, and a stored run of 5,000 steps at its last page.
// `npm run bench panel`; times run from a message's arrival in the page to the second frame after it.
import type { Browser, Page } from "playwright-core";
import type { PanelUpdate } from "../../src/schema/panel-messages.ts";
import { launchChromium } from "../host/chromium.ts";
import { openPanel, type PanelUnderTest } from "../panel/support/harness.ts";
import { StagedRun } from "../panel/support/staged-run.ts";
import { median, percentile } from "./memory/clock.ts";
import { check, exitWithChecks, table } from "./memory/report.ts";

const DELTAS = 200;
const OPENINGS = 10;
const DELTA_MS = 50;
const OPENING_MS = 500;
/** The arguments of an edit. */
const EDITS = [{ search: "const a = 1;\n".repeat(10), replace: "const a = 2;\n".repeat(7) }];

const browser = await launchChromium();
try {
  const thousand = longRun(1_000);
  thousand.step({ until: "asked" });
  const page = await deltaTimes(browser, thousand, false);
  const all = await deltaTimes(browser, thousand, true);
  const opening = await openingTimes(browser, longRun(5_000));
  const row = (what: string, times: readonly number[]): string[] => [
    what,
    median(times).toFixed(1),
    percentile(times, 0.95).toFixed(1),
  ];
  table(
    "Milliseconds to the second frame",
    ["", "median", "p95"],
    [
      row("delta, 1,000 steps, a page of them drawn", page),
      row("delta, 1,000 steps, all of them drawn", all),
      row("opening 5,000 steps at the last page", opening),
    ],
  );
  check("p95 of a delta with a run of 1,000 steps open", percentile(page, 0.95), DELTA_MS);
  check("p95 of a delta with all of 1,000 steps drawn", percentile(all, 0.95), DELTA_MS);
  check("median of opening a stored run of 5,000 steps", median(opening), OPENING_MS);
} finally {
  await browser.close();
}
exitWithChecks();

/** Steps of about the size of real ones. */
function longRun(steps: number): StagedRun {
  const run = new StagedRun();
  for (let step = 1; step <= steps; step++)
    run.step({
      thoughts: {
        text: `In step ${step} I look at the next file. `.repeat(4),
        reasoning: "It is the one the failing test names. ".repeat(3),
        plan: "- look\n- mend\n- test",
        criticism: "It may be another one.",
        speak: "I look at the next file.",
      },
      ...(step % 3 === 0
        ? {
            call: { name: "execute_shell", args: { command_line: "npm test" } },
            outcome: { status: "done", exitCode: 1, output: "1 failing\n  Expected 3, got 2\n".repeat(20) },
          }
        : {
            call: { name: "edit_file", args: { filename: `src/part-${step}.ts`, edits: EDITS } },
            outcome: {
              status: "done",
              output: `export const part${step} = ${step};\n`.repeat(60),
              files: [{ file: `src/part-${step}.ts`, change: "changed", added: 3, removed: 6, line: 12 }],
            },
          }),
    });
  return run;
}

async function deltaTimes(on: Browser, run: StagedRun, drawAll: boolean): Promise<readonly number[]> {
  const panel = await openPanel(on, { width: 400, height: 900 });
  await panel.send(...run.opening());
  if (drawAll) await drawAllSteps(panel, run);
  const times: number[] = [];
  for (let count = 0; count < DELTAS; count++) {
    const delta: PanelUpdate = {
      type: "thought",
      run: run.id,
      step: 1_001,
      deltas: [{ field: "text", text: `word ${count} ` }],
    };
    times.push(await panel.page.evaluate(timeToSecondFrame, [delta]));
  }
  await panel.close();
  return times;
}

/** Somebody who has asked for all earlier steps, and reads at the top. */
async function drawAllSteps({ page, send }: PanelUnderTest, run: StagedRun): Promise<void> {
  await page.locator("#feed").hover();
  await page.mouse.wheel(0, -2_000);
  await page.locator("#jump").waitFor();
  for (let before = 961; before > 1; before -= 40) await send(run.page(before));
  await page.waitForFunction(() => document.querySelectorAll(".step").length === 1_001);
}

async function openingTimes(on: Browser, run: StagedRun): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < OPENINGS; round++) {
    const panel = await openPanel(on, { width: 400, height: 900 });
    times.push(await panel.page.evaluate(timeToSecondFrame, [...run.opening({ readOnly: true })]));
    await demandLastStep(panel.page, 5_000);
    await panel.close();
  }
  return times;
}

async function demandLastStep(page: Page, step: number): Promise<void> {
  const last = await page.locator(".step").last().getAttribute("id");
  if (last !== `step-${step}`) throw new Error(`The last step drawn is ${last}, so nothing was measured.`);
}

/** Runs in the page. */
async function timeToSecondFrame(messages: readonly unknown[]): Promise<number> {
  const arrived = new Promise<number>((resolve) => {
    window.addEventListener("message", () => resolve(performance.now()), { once: true, capture: true });
  });
  for (const message of messages) window.postMessage(message, "*");
  const start = await arrived;
  await new Promise((resolve) => requestAnimationFrame(resolve));
  await new Promise((resolve) => requestAnimationFrame(resolve));
  return performance.now() - start;
}
