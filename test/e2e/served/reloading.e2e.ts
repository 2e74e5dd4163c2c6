import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { runPaletteAction } from "../support/quick-input.ts";
import { cardButton, cardOf, decisions, endCard, eventsOf, startRun, typed } from "../support/runs.ts";
import { complete, shell, write } from "../support/steps.ts";
import { reloadWindow } from "../support/vscode.ts";
import { panel } from "../support/webview.ts";
import { answerToast, editorTab } from "../support/workbench.ts";
import { useStage } from "./stage.ts";

describe("reloading the window while a proposal waits", () => {
  const onStage = useStage();

  it("offers the run again; continued, the same proposal waits, and nothing runs twice", async () => {
    const stage = onStage();
    const { page, model, folder } = stage;
    await startRun(stage, "Survive a reload", shell("echo once >> once.txt"), complete());
    await cardOf(page, 1).waitFor();
    await reloadWindow(stage);
    await answerToast(page, "AutoGPT was interrupted while working on: Survive a reload", "Continue");
    await cardOf(page, 1).getByText("echo once").waitFor();
    const asked = model.asked();
    await cardButton(page, 1, "Approve").click();
    await endCard(page, "Finished").waitFor();

    assert.deepEqual(
      [asked, decisions(folder), typed(eventsOf(folder), "began").length],
      [1, ["1 allowed by user", "2 allowed by rule"], 2],
    );
    assert.equal(fs.readFileSync(path.join(folder, "once.txt"), "utf8"), "once\n");
  });
});

describe("reloading the window while a question waits", () => {
  const onStage = useStage();

  it("brings back the question, the unsent answer and the review of all files, and shows no start page", async () => {
    const stage = onStage();
    const { page, model, folder } = stage;
    const ask = { text: "I ask.", command: "ask_user", args: { question: "Tea or coffee?" } };
    await startRun(stage, "Ask me", write("README.md", "# Tea\n"), write("new.txt", "new\n"), ask, complete());
    for (const step of [1, 2]) await cardButton(page, step, "Approve").click();
    const answer = panel(page).getByRole("textbox", { name: "Your answer" });
    await answer.fill("Coffee, ple");
    await runPaletteAction(page, "AutoGPT: Review All Changes of a Run");
    const review = editorTab(page, "Changes of the run (2 files)");
    await review.waitFor();
    await page.waitForTimeout(STORED_MS);
    await page.addInitScript(noteStartPage);
    await reloadWindow(stage);
    await answerToast(page, "AutoGPT was interrupted while working on: Ask me", "Continue");
    await panel(page).getByText("Tea or coffee?").last().waitFor();
    const seen = {
      answer: await answer.inputValue(),
      asked: model.asked(),
      startPage: await panel(page)
        .locator("body")
        .evaluate(() => "sawStartPage" in window),
      review: await review.count(),
    };
    await answer.press("Enter");
    await endCard(page, "Finished").waitFor();

    assert.deepEqual(
      { ...seen, outcome: typed(eventsOf(folder), "ended").at(2)?.outcome },
      {
        answer: "Coffee, ple",
        asked: 3,
        startPage: false,
        review: 1,
        outcome: {
          status: "done",
          output: "The user's answer: Coffee, ple",
          summary: { code: "timeline.youAnswered", parameters: { text: "Coffee, ple" } },
        },
      },
    );
  });
});

/** VS Code in a browser stores what views and editors keep every five seconds, and nothing when the page unloads. */
const STORED_MS = 6_500;

/** Runs in each frame before its scripts: remembers that the start page was drawn. */
function noteStartPage(): void {
  new MutationObserver(() => {
    if (document.querySelector("main.start")) Object.assign(window, { sawStartPage: true });
  }).observe(document, { childList: true, subtree: true });
}
