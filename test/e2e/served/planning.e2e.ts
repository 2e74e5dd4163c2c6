import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { cardButton, decisions, endCard, startRun, toStartPage } from "../support/runs.ts";
import { complete, write } from "../support/steps.ts";
import { panel } from "../support/webview.ts";
import { useStage } from "./stage.ts";

describe("a plan first", () => {
  const onStage = useStage();

  it("is chosen on the start page, shown at its end, and carried out by its button", async () => {
    const stage = onStage();
    const { page, model, folder } = stage;
    const file = path.join(folder, "planned.txt");
    await toStartPage(page);
    await panel(page).getByRole("combobox", { name: "Mode", exact: true }).selectOption("Plan");
    await startRun(stage, "Plan a file", write("planned.txt", "too early\n"), complete("Two small steps."));
    await endCard(page, "The plan").waitFor();
    const end = panel(page).locator(".card.end");
    const planned = {
      items: (await end.locator(".checklist li").allTextContents()).map((item) => item.trim()),
      file: fs.existsSync(file),
    };
    model.play(write("planned.txt", "as planned\n"), complete());
    await end.getByRole("button", { name: "Carry out plan" }).click();
    await cardButton(page, 3, "Show diff").click();
    await cardButton(page, 3, "Approve").click();
    await endCard(page, "Finished").waitFor();
    await toStartPage(page);
    await panel(page).getByRole("combobox", { name: "Mode", exact: true }).selectOption("Agent");

    assert.deepEqual(
      { planned, decisions: decisions(folder), file: fs.readFileSync(file, "utf8") },
      {
        planned: { items: ["look (To do)", "mend (To do)", "check (To do)"], file: false },
        decisions: ["1 refused by rule", "2 allowed by rule", "3 allowed by user", "4 allowed by rule"],
        file: "as planned\n",
      },
    );
  });
});
