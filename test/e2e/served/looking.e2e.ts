import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import GERMAN from "../../../l10n/de.json" with { type: "json" };
import JAPANESE from "../../../l10n/ja.json" with { type: "json" };
import MANIFEST_TEXTS from "../../../package.nls.json" with { type: "json" };
import { PICTURES } from "../../support/picture-files.ts";
import { linesOf } from "../support/diff.ts";
import { eventually } from "../support/eventually.ts";
import { takePicture } from "../support/pictures.ts";
import { pick, quickPickRow, runPaletteAction } from "../support/quick-input.ts";
import {
  cardButton,
  cardOf,
  chooseDecision,
  decisions,
  endCard,
  eventsOf,
  startRun,
  toStartPage,
  typed,
  untilArmed,
} from "../support/runs.ts";
import { complete, read, shell } from "../support/steps.ts";
import { pageInEditor, panel } from "../support/webview.ts";
import { answerToast, clickTreeRowButton, closePane, editorTab, openPane, treeRow } from "../support/workbench.ts";
import { useStage } from "./stage.ts";

describe("a run", () => {
  const onStage = useStage();

  it("shows the prompt of a step, as it was sent, and up to where a cache can have it", async () => {
    const stage = onStage();
    const { page } = stage;
    await startRun(stage, "Read the read-me", read("README.md"), complete());
    await endCard(page, "Finished").waitFor();
    await runPaletteAction(page, "AutoGPT: Show Prompt of Step");
    await pick(page, "Which step?", "Step 2");
    await editorTab(page, "Prompt of step 2").waitFor();
    const lines = page.locator(".editor-group-container.active .editor-instance");
    await lines.getByText("--- tools ---").first().waitFor();

    const text = (await linesOf(lines)).join("\n");
    assert.match(
      text,
      /^([\d,]+ of [\d,]+ tokens were read from the provider's cache\.\n+)?Up to line [\d,]+, it's the same as in step 1, .*\n+--- tools ---\n\[\n/,
    );
  });

  it("shows what is granted, and asks again once that is revoked", async () => {
    const stage = onStage();
    const { page, folder } = stage;
    const running = shell("while [ ! -e go ]; do sleep 0.1; done");
    await startRun(stage, "Count", running, shell("echo 2"));
    await chooseDecision(page, 1, "More ways to approve", "Approve next 3");
    await eventually("The first command", () => typed(eventsOf(folder), "began").length === 1);
    await runPaletteAction(page, "AutoGPT: Show What Is Allowed");
    const granted = pageInEditor(page).getByRole("region", { name: "Approved in advance" });
    await granted.getByTitle("Revoke: The next 2 commands").click();
    await granted.waitFor({ state: "detached" });
    fs.writeFileSync(path.join(folder, "go"), "");
    await cardOf(page, 2).waitFor();
    await runPaletteAction(page, "View: Close All Editors");

    assert.deepEqual(decisions(folder), ["1 allowed by user"]);
  });

  it("answers a question of the agent's in the panel", async () => {
    const stage = onStage();
    const { page, model } = stage;
    const question = { text: "I ask.", command: "ask_user", args: { question: "Tea or coffee?" } };
    await startRun(stage, "Ask", question, complete());
    await panel(page).getByText("Tea or coffee?").first().waitFor();
    await panel(page).getByRole("textbox", { name: "Your answer" }).fill("Tea, please.");
    await panel(page).getByRole("button", { name: "Answer", exact: true }).click();
    await endCard(page, "Finished").waitFor();

    assert.match(model.told(), /Tea, please\./);
  });

  it("sends an attached picture to the model, shows it in the stream, and opens it in an editor", async () => {
    const stage = onStage();
    const { page, model } = stage;
    await toStartPage(page);
    const view = panel(page);
    const buffer = Buffer.from(PICTURES.png, "base64");
    await view.locator('input[type="file"]').setInputFiles([{ name: "page.png", mimeType: "image/png", buffer }]);
    await view.getByRole("button", { name: "Remove page.png" }).waitFor();
    await startRun(stage, "Explain what is drawn", complete());
    await endCard(page, "Finished").waitFor();
    const thumbnail = view.getByRole("link", { name: "page.png" });
    const shown = await thumbnail.getByRole("img", { name: "page.png" }).evaluate(isDrawn);
    await thumbnail.click();
    const tab = editorTab(page, /^[0-9a-f]{64}\.png/);
    await tab.getByRole("button", { name: "Close" }).click();
    await tab.waitFor({ state: "detached" });

    const isSent = model.told().includes(`"image_url":{"url":"data:image/png;base64,${PICTURES.png}"`);
    assert.deepEqual({ isSent, shown }, { isSent: true, shown: true });
  });

  it("has its settings on VS Code's page for them, in groups", async () => {
    const { page } = onStage();
    // Settings of machine scope are on another tab of this page, and so are the groups that have no others.
    const titles = Object.entries(MANIFEST_TEXTS).flatMap(([key, text]) =>
      key.startsWith("group.") && !["group.azure", "group.isolation", "group.plugins"].includes(key) ? [text] : [],
    );
    await page.keyboard.press("ControlOrMeta+,");
    await editorTab(page, "Settings").waitFor();
    await page.locator(".settings-editor .search-container .monaco-editor").click();
    await page.keyboard.type("@ext:autogpt-vscode.autogpt");
    const groups = page.locator(".settings-toc-wrapper .monaco-list-row .settings-toc-entry");
    await groups.getByText("Memory").waitFor();
    const shown = await groups.allTextContents();
    await runPaletteAction(page, "View: Close All Editors");

    assert.deepEqual(shown, ["Extensions", "AutoGPT", ...titles]);
  });

  it("speaks another language as soon as the setting says so", async () => {
    const { page } = onStage();
    await toStartPage(page);
    await page.keyboard.press("ControlOrMeta+,");
    await editorTab(page, "Settings").waitFor();
    await page.locator(".settings-editor .search-container .monaco-editor").click();
    await page.keyboard.type("@id:autogpt.language");
    const choice = page.locator('.settings-editor select[aria-label="autogpt.language"]');
    await choice.waitFor();
    const german = GERMAN["start.lead"];
    const leads = [german.text, JAPANESE["start.lead"].text, german.source];
    const shown: boolean[] = [];
    for (const [at, lead] of leads.entries()) {
      await choice.selectOption({ index: [2, 3, 0][at] ?? 0 });
      await panel(page).locator(".lead", { hasText: lead }).waitFor();
      shown.push(await panel(page).locator(".lead").isVisible());
    }
    await runPaletteAction(page, "View: Close All Editors");

    assert.deepEqual(shown, [true, true, true]);
  });

  it("has ticked the steps of the walkthrough that were done before it's opened", async () => {
    const stage = onStage();
    const { page } = stage;
    await startRun(stage, "Be approved once", shell("echo 1"), complete());
    await untilArmed(page, 1);
    await cardButton(page, 1, "Approve").click();
    await endCard(page, "Finished").waitFor();
    await runPaletteAction(page, "AutoGPT: Show What Is Allowed");
    await runPaletteAction(page, "Welcome: Open Walkthrough...");
    await quickPickRow(page, "Get started with AutoGPT").first().click();
    const steps = page.locator(".gettingStartedDetailsContent .getting-started-step");
    const done = page.locator(".gettingStartedDetailsContent .getting-started-step .codicon.complete");
    await eventually("The ticks", async () => (await done.count()) >= 4);
    const counts = { steps: await steps.count(), done: await done.count() };
    await takePicture(page, "walkthrough");
    await runPaletteAction(page, "View: Close All Editors");

    assert.deepEqual({ steps: counts.steps, open: counts.steps - counts.done <= 1 }, { steps: 5, open: true });
  });

  it("is opened from the list of runs, deleted there, and restored", async () => {
    const stage = onStage();
    const { page, folder } = stage;
    await startRun(stage, "Be deleted soon", complete("Nothing to do."));
    await endCard(page, "Finished").waitFor();
    await toStartPage(page);
    await openPane(page, "Runs");
    await treeRow(page, "Be deleted soon").click();
    await endCard(page, "Finished").waitFor();
    await clickTreeRowButton(page, "Be deleted soon", "Delete Run");
    await treeRow(page, "Be deleted soon").waitFor({ state: "detached" });
    const between = runsWith(folder, "Be deleted soon");
    await answerToast(page, "Run deleted", "Undo");
    await treeRow(page, "Be deleted soon").waitFor();
    await closePane(page, "Runs");

    assert.deepEqual([between, runsWith(folder, "Be deleted soon").length], [[], 1]);
  });
});

/** True once the browser has decoded an image. */
async function isDrawn(image: Element): Promise<boolean> {
  if (!(image instanceof HTMLImageElement)) return false;
  await image.decode();
  return image.naturalWidth > 0;
}

/** The logs of runs that hold these words. */
function runsWith(folder: string, words: string): readonly string[] {
  return fs
    .globSync(".autogpt/runs/*/run.jsonl", { cwd: folder })
    .filter((file) => fs.readFileSync(path.join(folder, file), "utf8").includes(words));
}
