// Milliseconds from a change's card to an Approve that can be pressed, in a fresh window and after that. `npm run bench approve`.
// The first half second is meant: a click in it was for something else. The rest is the time that its diff takes to open.
import fs from "node:fs";
import path from "node:path";
import { cardButton, cardOf, untilArmed } from "../../e2e/support/runs.ts";
import { openOllamaStage } from "../../e2e/support/stage.ts";
import { complete } from "../../e2e/support/steps.ts";
import { panel } from "../../e2e/support/webview.ts";
import { check, exitWithChecks, table, tellMachine } from "../memory/report.ts";

const STEPS = [1, 2, 3, 4, 5, 6, 7, 8];

const stage = await openOllamaStage();
const { page, folder, model } = stage;
const LINES = Array.from({ length: 400 }, (_, index) => `export const price${index} = (count) => count * ${index};`);
fs.writeFileSync(path.join(folder, "prices.js"), LINES.join("\n"));
const edits = STEPS.map((step) => ({
  text: "I double a price.",
  command: "edit_file",
  args: { filename: "prices.js", edits: [{ search: `count * ${step};`, replace: `2 * count * ${step};` }] },
}));
model.play(...edits, complete());
await page.locator('.activitybar a.action-label[aria-label^="AutoGPT"]').click();
await panel(page).locator("#composer:focus").waitFor();
await panel(page).locator("body").evaluate(watchCards);
await page.keyboard.type("Write some notes");
await page.keyboard.press("Enter");
for (const step of STEPS) {
  await cardOf(page, step).waitFor();
  await untilArmed(page, step);
  await cardButton(page, step, "Approve").click();
}
const marks = JSON.parse((await panel(page).locator("body").getAttribute("data-marks")) ?? "{}");
await stage.close();

/** Notes in the panel's page when each card came, and when it could be approved. */
function watchCards(body: HTMLElement): void {
  const known: Record<string, { card: number; enabled?: number }> = {};
  const look = (): void => {
    const step = body.querySelector<HTMLElement>(".card.proposal")?.dataset.step;
    if (step === undefined) return;
    known[step] ??= { card: performance.now() };
    const mark = known[step];
    const buttons = [...body.querySelectorAll<HTMLButtonElement>(`[data-step="${step}"] button`)];
    const approve = buttons.find(({ textContent }) => textContent?.trim() === "Approve");
    if (!approve || approve.disabled || mark.enabled !== undefined) return;
    mark.enabled = performance.now();
    body.dataset.marks = JSON.stringify(known);
  };
  new MutationObserver(look).observe(body, { subtree: true, childList: true, attributes: true });
}

const took = STEPS.map((step) => marks[step].enabled - marks[step].card);
table(
  "From a change's card to an Approve that can be pressed",
  ["step", "ms"],
  took.map((ms, index) => [String(index + 1), ms.toFixed(0)]),
);
tellMachine();
const later = took.slice(1).toSorted((one, other) => one - other);
check("ms to Approve in a fresh window", took[0] ?? Number.NaN, 1_000);
check("ms to Approve after that, median", later[Math.floor(later.length / 2)] ?? Number.NaN, 550);
exitWithChecks();
