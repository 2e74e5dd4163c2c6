import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { CountedInput } from "./support/counted-input.ts";
import { MODEL_NAME } from "./support/played-model.ts";
import { cardButton, endCard, eventsOf, typed } from "./support/runs.ts";
import { openOllamaStage } from "./support/stage.ts";
import { complete, write } from "./support/steps.ts";
import { openWindows } from "./support/vscode.ts";
import { panel } from "./support/webview.ts";

const TASK = "Say hello in a file";

describe("a fresh window on a machine with Ollama", () => {
  it("finds it by itself, and has a change approved after two clicks and the task", async () => {
    for (const other of openWindows) await other.close();
    const { page, folder, model } = await openOllamaStage();
    model.play(write("hello.txt", "hello\n"), complete());
    const input = new CountedInput(page);
    await input.click(page.locator('.activitybar a.action-label[aria-label^="AutoGPT"]'));
    await panel(page)
      .getByRole("combobox", { name: "Model" })
      .getByText(MODEL_NAME)
      .first()
      .waitFor({ state: "attached" });
    await panel(page).locator("#composer:focus").waitFor();
    await input.type(TASK);
    await input.press("Enter");
    await input.click(cardButton(page, 1, "Approve"));
    await endCard(page, "Finished").waitFor();

    assert.deepEqual(
      {
        text: fs.readFileSync(path.join(folder, "hello.txt"), "utf8"),
        model: typed(eventsOf(folder), "started")[0]?.model.smart,
        clicks: input.clicks,
        keys: input.keys,
      },
      { text: "hello\n", model: MODEL_NAME, clicks: 2, keys: TASK.length + 1 },
    );
  });
});
