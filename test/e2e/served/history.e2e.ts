import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { eventually } from "../support/eventually.ts";
import { takePicture } from "../support/pictures.ts";
import { answer, pick, quickInput, quickPickRow, runPaletteAction } from "../support/quick-input.ts";
import { cardButton, endCard, eventsOf, startRun, toStartPage, typed } from "../support/runs.ts";
import { complete, write } from "../support/steps.ts";
import { panel } from "../support/webview.ts";
import { answerToast } from "../support/workbench.ts";
import { useStage } from "./stage.ts";

describe("a run that is over", () => {
  const onStage = useStage();

  it("is found by its words, forked from a step in place, and can be stepped through", async () => {
    const stage = onStage();
    const { page, folder, model } = stage;
    await startRun(
      stage,
      "Write the quetzal file",
      write("fork.txt", "first\n"),
      write("fork.txt", "second\n"),
      complete(),
    );
    for (const step of [1, 2]) {
      // No diff opens by itself within two seconds after an editor was typed in, as by the test before.
      await cardButton(page, step, "Show diff").click();
      await cardButton(page, step, "Approve").click();
    }
    await endCard(page, "Finished").waitFor();
    await panel(page).getByText("1 file changed", { exact: true }).waitFor();
    await panel(page).getByRole("button", { name: "More actions" }).click();
    await panel(page).getByRole("menuitem", { name: "Step through" }).click();
    await panel(page).getByText("Step 1 of 3").waitFor();
    await panel(page).getByRole("button", { name: "Leave", exact: true }).click();
    await endCard(page, "Finished").waitFor();
    await toStartPage(page);
    await runPaletteAction(page, "AutoGPT: Search Runs…");
    await quickInput(page).locator("input.input").fill("QUETZAL");
    await quickPickRow(page, "Write the quetzal file").first().click();
    await endCard(page, "Finished").waitFor();
    await runPaletteAction(page, "AutoGPT: Search Runs…");
    await quickInput(page).locator("input.input").fill("fork.txt second");
    await quickPickRow(page, "step 2, thoughts and command").first().click();
    await panel(page).getByText("Step 2 of 3").waitFor();

    model.play(complete("Only once, then."));
    await runPaletteAction(page, "AutoGPT: Fork from Step…");
    await quickPickRow(page, "Write the quetzal file")
      .and(page.locator(".focused", { hasText: "shown" }))
      .waitFor();
    await page.keyboard.press("Enter");
    await pick(page, "Fork after which step", "Step 1");
    await pick(page, "Which files?", "Undo what came after step 1");
    await pick(page, "Change anything?", "Add an instruction");
    await answer(page, "What should the agent do differently?", "Once is enough.");
    await pick(page, "Change anything?", "Start the fork");
    await endCard(page, "Finished").waitFor();

    const events = eventsOf(folder);
    assert.deepEqual(
      {
        file: fs.readFileSync(path.join(folder, "fork.txt"), "utf8"),
        ended: typed(events, "ended").map(({ step }) => step),
        said: typed(events, "said").map(({ text }) => text),
        told: model.told().includes("Once is enough."),
      },
      { file: "first\n", ended: [1, 2], said: ["Once is enough."], told: true },
    );
  });

  it("is found in the memory by a sentence on what a step did, and opened at that step", async () => {
    const stage = onStage();
    const { page } = stage;
    const replies = [write("okapi.txt", "The okapi sleeps.\n"), write("okapi.txt", "It wakes.\n"), complete()];
    await startRun(stage, "Write about the okapi", ...replies);
    for (const step of [1, 2]) {
      await cardButton(page, step, "Show diff").click();
      await cardButton(page, step, "Approve").click();
    }
    await endCard(page, "Finished").waitFor();
    await toStartPage(page);
    await runPaletteAction(page, "AutoGPT: Search Memory");
    await quickInput(page).locator("input.input").fill("okapi sleeps");
    const row = quickPickRow(page, "okapi.txt: The okapi sleeps.").filter({ hasText: "all words match" });
    await row.waitFor();
    const shown = await row.textContent();
    await takePicture(page, "memory-search");
    await row.click();
    await panel(page).getByText("Step 1 of 3").waitFor();
    await panel(page).getByRole("button", { name: "Leave", exact: true }).click();
    assert.match(shown ?? "", /okapi\.txt: The okapi sleeps\.Write about the okapi · all words match · from today/);
  });

  it("is exported as a report to where the user wants it", async () => {
    const stage = onStage();
    const { page, folder } = stage;
    await startRun(stage, "Say that all is done", complete("All was done already."));
    await endCard(page, "Finished").waitFor();
    await runPaletteAction(page, "AutoGPT: Export Run…");
    await pick(page, "Which run?", "shown in the panel");
    await pick(page, "Export as", "Report");
    const target = path.join(folder, "report.md");
    const input = quickInput(page).locator("input.input");
    // What is typed before the dialog has made its own proposal would be added to that.
    await eventually("The dialog's proposal", async () =>
      (await input.inputValue()).endsWith("/say-that-all-is-done.md"),
    );
    await input.fill(target);
    await quickInput(page)
      .getByRole("button", { name: /^(?:OK|Save)$/ })
      .click();
    await answerToast(page, "Run exported", "Open");
    assert.match(fs.readFileSync(target, "utf8"), /^# Say that all is done\n[\s\S]*All was done already\./);
  });

  it("is undone only after a look where the user has changed a file since", async () => {
    const stage = onStage();
    const { page, folder } = stage;
    const file = path.join(folder, "conflict.txt");
    fs.writeFileSync(file, "as it was\n");
    await startRun(stage, "Change a file", write("conflict.txt", "the agent's\n"), complete());
    await cardButton(page, 1, "Approve").click();
    await endCard(page, "Finished").waitFor();
    fs.writeFileSync(file, "the user's\n");
    await runPaletteAction(page, "AutoGPT: Undo Step");
    await pick(page, "Undo which step?", "Step 1");
    await answerToast(page, "Left as it is", "Show conflicts");
    const between = fs.readFileSync(file, "utf8");
    await answerToast(page, "conflict.txt was not undone", "Use right side");
    await eventually("The file as it was", () => fs.readFileSync(file, "utf8") === "as it was\n");
    assert.equal(between, "the user's\n");
  });
});
