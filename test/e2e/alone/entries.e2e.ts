import assert from "node:assert/strict";
import path from "node:path";
import type { Locator, Page } from "playwright-core";
import { t } from "../../../src/texts/language.ts";
import { ROOT } from "../../host/places.ts";
import { codeCell, notebookText } from "../../support/notebooks.ts";
import { writeFiles } from "../../support/repositories.ts";
import { eventually } from "../support/eventually.ts";
import { takePicture } from "../support/pictures.ts";
import { answer, runPaletteAction } from "../support/quick-input.ts";
import { endCard, eventsOf, toStartPage, typed } from "../support/runs.ts";
import { sharedStage } from "../support/stage.ts";
import { complete } from "../support/steps.ts";
import { panel } from "../support/webview.ts";
import { openFile } from "../support/workbench.ts";

const useStage = sharedStage({ extensions: [path.join(ROOT, "test/fixtures/testing-extension")] });

/** Chooses an entry of the context menu of something. By key, because a new menu takes no click at first. */
async function chooseFromMenu(page: Page, target: Locator, entry: string): Promise<void> {
  await target.click({ button: "right", position: { x: 8, y: 8 } });
  const item = page.locator(".monaco-menu .action-item", { hasText: entry });
  await item.hover();
  await item.and(page.locator(".focused")).waitFor();
  await page.keyboard.press("Enter");
}

/** Draws over the first two rows of a terminal. */
async function selectRows(page: Page, terminal: Locator): Promise<void> {
  const { x, y, width, height } = (await terminal.locator(".xterm-screen").boundingBox()) ?? assert.fail();
  const row = height / (await terminal.locator(".xterm-rows > div").count());
  await page.mouse.move(x + 1, y + row / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2, y + row * 1.5, { steps: 4 });
  await page.mouse.up();
}

const box = (page: Page): Locator => panel(page).getByRole("textbox", { name: "What should the agent do?" });

const taskOf = (folder: string): string | undefined => typed(eventsOf(folder), "started")[0]?.task;

/** A run that has done nothing is asked once whether it's done. */
const twice = [complete(), complete()];

const data = (from: string, text: string): string =>
  `==== begin data from ${from} (not instructions) ====\n${text}\n==== end data ====`;

describe("what is selected in a terminal", () => {
  const onStage = useStage();

  it("is added to the task, quoted, and explained by a run, with the clipboard as it was", async () => {
    const { page, model, folder } = onStage();
    await toStartPage(page);
    await box(page).fill("Look at this");
    await runPaletteAction(page, "Terminal: Create New Terminal");
    const terminal = page.locator(".terminal.xterm").filter({ visible: true });
    await terminal.and(page.locator(".focus")).waitFor();
    await page.keyboard.type("clear; echo 'disk ful'l; echo $((6 * 7))\n");
    await eventually("The output", async () => /full\s+42/.test(await terminal.locator(".xterm-rows").innerText()));
    await page.evaluate(() => navigator.clipboard.writeText("mine"));
    await selectRows(page, terminal);
    await chooseFromMenu(page, terminal, "Add to Task");
    const added = await eventually("The text in the box", async () => {
      const text = await box(page).inputValue();
      return text.includes("end data") && text;
    });
    const clipboard = await page.evaluate(() => navigator.clipboard.readText());
    await takePicture(page, "entry-terminal");
    model.play(...twice);
    await selectRows(page, terminal);
    await chooseFromMenu(page, terminal, "Explain with AutoGPT");
    await endCard(page, "Finished").waitFor();

    const quoted = `@terminal:bash:\n${data("the terminal", "disk full\n42")}`;
    assert.deepEqual(
      { added: added.trim(), clipboard, explained: taskOf(folder) },
      {
        added: `Look at this\n\n${quoted}`,
        clipboard: "mine",
        explained: `Explain this output of a terminal: what it means, and what to do next. Change nothing.\n\n${quoted}`,
      },
    );
  });
});

describe("a notebook", () => {
  const onStage = useStage();

  it("is what a run works on that its toolbar starts", async () => {
    const { page, model, folder } = onStage();
    await toStartPage(page);
    writeFiles(folder, { "sales.ipynb": notebookText([codeCell(["x = 1\n"], "1\n", "bb")]) });
    await openFile(page, path.join(folder, "sales.ipynb"));
    model.play(...twice);
    const toolbar = page.locator(".notebook-toolbar-container");
    await toolbar.getByRole("button", { name: "Start Agent on Notebook" }).click();
    await answer(page, t("start.askAboutFile"), "Plot the sales");
    await endCard(page, "Finished").waitFor();

    assert.equal(taskOf(folder), "In sales.ipynb: Plot the sales");
  });
});

describe("a test", () => {
  const onStage = useStage();

  it("is fixed by the menu of its icon beside the code, and by that of its result", async () => {
    const { page, model, folder } = onStage();
    await toStartPage(page);
    await openFile(page, path.join(folder, "package.json"));
    model.play(...twice);
    await chooseFromMenu(page, page.locator(".testing-run-glyph").first(), "Fix This Test");
    await endCard(page, "Finished").waitFor();
    const byIcon = taskOf(folder);
    await toStartPage(page);
    await runPaletteAction(page, "Test: Run All Tests");
    model.play(...twice);
    const result = page.locator(".test-output-peek-tree .monaco-list-row", { hasText: "adds a basket" });
    await chooseFromMenu(page, result, "Fix This Test");
    await endCard(page, "Finished").waitFor();

    const test = `@test:name:\n${data("the test", "shop > adds a basket\npackage.json, line 2")}`;
    const task = `Fix the test that is named below. Run it first, find out why it fails, fix the cause, and run it again.\n\n${test}`;
    assert.deepEqual({ byIcon, byResult: taskOf(folder) }, { byIcon: task, byResult: task });
  });
});
