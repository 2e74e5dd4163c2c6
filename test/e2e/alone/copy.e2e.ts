import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { findWalls } from "../../../src/isolation/walls/find-walls.ts";
import { t } from "../../../src/texts/language.ts";
import { answerDialog } from "../support/dialogs.ts";
import { eventually } from "../support/eventually.ts";
import { endCard, toStartPage } from "../support/runs.ts";
import { sharedStage } from "../support/stage.ts";
import { complete, write } from "../support/steps.ts";
import { panel } from "../support/webview.ts";
import { openFile, openViewContainer } from "../support/workbench.ts";

const modeOf = (page: Page) => panel(page).getByRole("combobox", { name: "Mode", exact: true });

describe("the copy of an isolated run", () => {
  const onStage = sharedStage({ trust: true })();

  before(async function () {
    if ((await findWalls("auto")).engine === "none") this.skip();
  });

  it("opens in a window of its own, after a warning, where no run starts, and closes with it", async () => {
    const { page, model } = onStage();
    await answerDialog(page, "Yes, I trust");
    model.play(write("made.txt", "the agent's\n"), complete());
    await toStartPage(page);
    await modeOf(page).selectOption("Isolated");
    await panel(page).getByRole("textbox", { name: "What should the agent do?" }).fill("Make a file");
    await panel(page).getByRole("button", { name: "Send", exact: true }).click();
    await endCard(page, "Finished").waitFor();
    const decide = async (name: string): Promise<void> => {
      await panel(page).locator(".card.end").getByRole("button", { name: "More ways to decide" }).click();
      await panel(page).getByRole("menuitem", { name, exact: true }).click();
    };
    const opening = page.context().waitForEvent("page");
    await decide(t("actions.openCopyButton"));
    const warning = await answerDialog(page, t("isolation.openCopyButton"));
    const copy = await opening;
    await answerDialog(copy, "No, I don't trust");
    await openViewContainer(copy, "AutoGPT");
    await panel(copy).getByText(t("isolation.copyWindow")).first().waitFor();
    // Trust in the copy would let no run start.
    await panel(copy)
      .getByRole("button", { name: t("actions.openFolderButton") })
      .waitFor();
    const folder = new URL(copy.url()).searchParams.get("folder") ?? "";
    const isThere = fs.existsSync(folder);
    await openFile(copy, path.join(folder, "README.md"));
    await copy.locator(".editor-group-container.active .view-line").first().click();
    await copy.keyboard.type("unsaved");
    await copy.locator(".tab.dirty").waitFor();
    await decide(t("actions.discardChangesButton"));
    await answerDialog(page, t("isolation.discardButton"));
    const asked = await answerDialog(copy, "Don't Save");
    // A page in a browser can't close itself, so it shows no folder.
    await copy.waitForURL((url) => !url.searchParams.has("folder"));
    await eventually("The end of the copy", () => !fs.existsSync(folder));
    await panel(page).locator(".card.end").getByText("Discarded the changes of 1 file.").waitFor();
    await copy.close();
    assert.deepEqual(
      {
        asked: asked.includes("README.md"),
        saysOutside: /outside of the sandbox/.test(warning),
        wasCopy: folder.includes("copies"),
        isThere,
      },
      { asked: asked.includes("README.md"), saysOutside: true, wasCopy: true, isThere: true },
    );
  });
});
