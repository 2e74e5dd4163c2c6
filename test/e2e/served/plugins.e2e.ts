import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { t } from "../../../src/texts/language.ts";
import { takePicture } from "../support/pictures.ts";
import { endCard, eventsOf, startRun, typed } from "../support/runs.ts";
import { complete, read } from "../support/steps.ts";
import { allowPlugin, openTools } from "../support/tools-page.ts";
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

  it("runs once the user has allowed it on the page of plugins, and its calls are in the details of the step", async () => {
    const { page, folder } = onStage();
    const home = path.join(folder, ".autogpt/plugins/word-counter");
    fs.mkdirSync(home, { recursive: true });
    fs.writeFileSync(path.join(home, "index.mjs"), PLUGIN);
    try {
      await openTools(page, "word-counter");
      await takePicture(page, "tools-and-plugins");
      await allowPlugin(page, "word-counter", t("plugins.state.on"));

      await startRun(onStage(), "Count the words", read("README.md"), complete("Counted."));
      await endCard(page, "Finished").waitFor();
      const hooked = typed(eventsOf(folder), "hooked").map(({ hook, result }) => `${hook} ${result}`);
      await panel(page).locator(".line-toggle").last().press("Enter");
      await panel(page)
        .getByText(t("timeline.hooks", { count: 2 }))
        .click();
      await takePicture(page, "plugin-calls");
      assert.deepEqual(hooked, ["offer changed", "beforeThinking changed", "beforeThinking changed"]);
    } finally {
      fs.rmSync(home, { recursive: true });
    }
  });
});
