import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { t } from "../../../src/texts/language.ts";
import { answerDialog } from "../support/dialogs.ts";
import { takePicture } from "../support/pictures.ts";
import { pick, quickInput, quickPickRow, runPaletteAction } from "../support/quick-input.ts";
import { endCard, eventsOf, startRun, typed } from "../support/runs.ts";
import { complete, read } from "../support/steps.ts";
import { panel } from "../support/webview.ts";
import { useStage } from "./stage.ts";

const PLUGIN = `export default {
  description: "Counts the words of a text.",
  beforeThinking: () => ({ note: "Count twice." }),
  offer: () => ({
    commands: [{ name: "count_words", description: "Counts words.", run: ({ text = "" }) => text.split(" ").length + " words" }],
  }),
};
`;

describe("a plugin in a folder of the workspace", () => {
  const onStage = useStage();

  it("runs once the user has allowed it in the list of plugins, and its calls are in the details of the step", async () => {
    const { page, folder } = onStage();
    const home = path.join(folder, ".autogpt/plugins/word-counter");
    fs.mkdirSync(home, { recursive: true });
    fs.writeFileSync(path.join(home, "index.mjs"), PLUGIN);
    try {
      await runPaletteAction(page, "AutoGPT: Manage Plugins…");
      await quickPickRow(page, "word-counter").waitFor();
      await takePicture(page, "manage-plugins");
      await pick(page, t("plugins.listTitle"), "word-counter");
      await pick(page, /word-counter/, t("plugins.step.allow"));
      await answerDialog(page, t("plugins.allowButton"));
      await quickPickRow(page, "word-counter").waitFor();
      const state = await quickPickRow(page, "word-counter").textContent();
      await page.keyboard.press("Escape");
      await quickInput(page).waitFor({ state: "hidden" });

      await startRun(onStage(), "Count the words", read("README.md"), complete("Counted."));
      await endCard(page, "Finished").waitFor();
      const hooked = typed(eventsOf(folder), "hooked").map(({ hook, result }) => `${hook} ${result}`);
      await panel(page).locator(".line-toggle").last().press("Enter");
      await panel(page)
        .getByText(t("timeline.hooks", { count: 1 }))
        .click();
      await takePicture(page, "plugin-calls");
      assert.deepEqual(
        { isOn: state?.includes("On"), hooked },
        { isOn: true, hooked: ["offer changed", "beforeThinking changed", "beforeThinking changed"] },
      );
    } finally {
      fs.rmSync(home, { recursive: true });
    }
  });
});
