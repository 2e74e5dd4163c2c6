// Milliseconds from a change's card to an Approve that can be pressed, in a fresh window and after that. `npm run bench approve`.
// The first half second is meant: a key pressed in it was for something else.
import { cardButton, cardOf, untilArmed } from "../../e2e/support/runs.ts";
import { openOllamaStage } from "../../e2e/support/stage.ts";
import { complete, write } from "../../e2e/support/steps.ts";
import { panel } from "../../e2e/support/webview.ts";
import { check, exitWithChecks, table, tellMachine } from "../memory/report.ts";

const STEPS = [1, 2, 3, 4, 5, 6];

const stage = await openOllamaStage();
stage.model.play(...STEPS.map((step) => write(`note-${step}.txt`, `Note ${step}.\n`)), complete());
const { page } = stage;
await page.locator('.activitybar a.action-label[aria-label^="AutoGPT"]').click();
await panel(page).locator("#composer:focus").waitFor();
await page.keyboard.type("Write six notes");
await page.keyboard.press("Enter");
const took: number[] = [];
for (const step of STEPS) {
  await cardOf(page, step).waitFor();
  const since = performance.now();
  await untilArmed(page, step);
  took.push(performance.now() - since);
  await cardButton(page, step, "Approve").click();
}
await stage.close();

table(
  "From a change's card to an Approve that can be pressed",
  ["step", "ms"],
  took.map((ms, index) => [String(index + 1), ms.toFixed(0)]),
);
tellMachine();
check("ms to Approve in a fresh window", took[0] ?? Number.NaN, 1_000);
check("ms to Approve after that, the worst", Math.max(...took.slice(1)), 750);
exitWithChecks();
