import fs from "node:fs";
import path from "node:path";
import type { Locator, Page } from "playwright-core";
import { parseLog } from "../../../src/runs/log/read-log.ts";
import type { AgentEvent, EventType } from "../../../src/schema/events.ts";
import { t } from "../../../src/texts/language.ts";
import type { ServerAnswer } from "../../support/fake-model-server.ts";
import { answerDialog } from "./dialogs.ts";
import type { PlayedStep } from "./played-model.ts";
import { quickInput, runPaletteAction } from "./quick-input.ts";
import type { Stage } from "./stage.ts";
import { complete, read } from "./steps.ts";
import { panel } from "./webview.ts";
import { answerToast, openViewContainer, toast } from "./workbench.ts";

/** Starts a run from the panel's start page, where the model replies as given. */
export async function startRun(
  { page, model }: Stage,
  task: string,
  ...replies: readonly (PlayedStep | ServerAnswer)[]
): Promise<void> {
  await toStartPage(page);
  model.play(...replies);
  const view = panel(page);
  await view.getByRole("textbox", { name: "What should the agent do?" }).fill(task);
  await view.getByRole("button", { name: "Send", exact: true }).click();
}

/** Leaves whatever the panel shows, and stops it if it runs. */
export async function toStartPage(page: Page): Promise<void> {
  await openViewContainer(page, "AutoGPT");
  const view = panel(page);
  const start = view.getByRole("textbox", { name: "What should the agent do?" });
  const stop = view.getByRole("button", { name: "Stop", exact: true });
  const newRun = view.getByRole("button", { name: "New Run" }).first();
  await start.or(stop).or(newRun).first().waitFor();
  if (await stop.isVisible()) await stop.click();
  await start.or(newRun).first().waitFor();
  if (await newRun.isVisible()) await newRun.click();
  await start.waitFor();
}

/** The card of the proposal that waits, if it is of this step. */
export const cardOf = (page: Page, step: number): Locator => panel(page).locator(`.card.proposal[data-step="${step}"]`);

/** A button of that card or of the pinned row. A click waits until it can be pressed, which for an approval takes half a second. */
export const cardButton = (page: Page, step: number, name: string): Locator =>
  cardOf(page, step)
    .or(panel(page).locator(`.decisions[data-step="${step}"]`))
    .getByRole("button", { name, exact: true });

/** Chooses an entry of a menu in the pinned row. */
export async function chooseDecision(page: Page, step: number, menu: string, entry: string): Promise<void> {
  await cardButton(page, step, menu).click();
  await panel(page).getByRole("menuitem", { name: entry, exact: true }).click();
}

/** Waits until any proposal waits, and gives its step; undefined when the run is over instead. */
export async function waitingStep(page: Page, over: Locator): Promise<number | undefined> {
  const card = panel(page).locator(".card.proposal");
  await card.or(over).first().waitFor();
  return (await over.isVisible()) ? undefined : Number(await card.getAttribute("data-step"));
}

/** Waits until a proposal can be approved: by its button, by key, by its title button. An edited one says so on its button. */
export async function untilArmed(page: Page, step: number, button = "Approve"): Promise<void> {
  await cardButton(page, step, button).and(page.locator(":enabled")).waitFor();
}

/** The card that says how the run ended or why it rests. */
export const endCard = (page: Page, heading: string): Locator =>
  panel(page).locator(".card").getByRole("heading", { name: heading, exact: true });

/** The events of the newest run in a folder, as they are on the disk. */
export function eventsOf(folder: string): readonly AgentEvent[] {
  const runs = path.join(folder, ".autogpt/runs");
  const newest = fs
    .globSync("*/run.jsonl", { cwd: runs })
    .map((file) => path.join(runs, file))
    .toSorted((one, other) => fs.statSync(one).birthtimeMs - fs.statSync(other).birthtimeMs)
    .at(-1);
  return newest === undefined ? [] : parseLog(fs.readFileSync(newest, "utf8")).events;
}

/** Those of one type. */
export function typed<T extends EventType>(
  events: readonly AgentEvent[],
  type: T,
): readonly Extract<AgentEvent, { type: T }>[] {
  return events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type);
}

/** Who decided what on each step, such as "1 allowed by user". */
export function decisions(folder: string): readonly string[] {
  return typed(eventsOf(folder), "decided").map(
    ({ step, allow, by }) => `${step} ${allow ? "allowed" : "refused"} by ${by}`,
  );
}

/** Has the only review comment, on README.md's first line, answered by a reply. `before`: those sent before a person agreed; `shown`: the question. */
export async function answerReviewComment({ page, model }: Stage, countSent: () => number) {
  // A run that has only read is asked once whether it's done.
  const end = complete("Looked at it.\n\nReply to comment 1: Because it's short.");
  model.play(read("README.md"), end, end);
  await runPaletteAction(page, "AutoGPT: Answer Review Comments…");
  await quickInput(page).getByText("README.md:1").waitFor();
  await page.keyboard.press("Enter");
  await answerToast(page, t("codehost.repliesDrafted", { count: 1 }), t("codehost.showRepliesButton"));
  await page.locator(".monaco-dialog-box").waitFor();
  const before = countSent();
  const shown = await answerDialog(page, t("codehost.sendReplyButton"));
  await toast(page, t("codehost.replySent", { file: "README.md" })).waitFor();
  return { before, shown };
}
