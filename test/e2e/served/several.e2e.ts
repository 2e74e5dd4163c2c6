import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { eventually } from "../support/eventually.ts";
import { answer, runPaletteAction } from "../support/quick-input.ts";
import { cardOf, startRun } from "../support/runs.ts";
import { write } from "../support/steps.ts";
import { pageInEditor, panel } from "../support/webview.ts";
import { activityBadge, editorTab } from "../support/workbench.ts";
import { useStage } from "./stage.ts";

/** Shows another open run by the switcher in the panel's header. */
async function switchRun(page: Page, task: string): Promise<void> {
  await panel(page).getByRole("button", { name: "Switch run (1 other run needs attention)" }).click();
  await panel(page).getByRole("menuitemradio", { name: task }).click();
  await panel(page).locator(".task", { hasText: task }).waitFor();
}

describe("two runs at once", () => {
  const onStage = useStage();

  it("have a page each, and a decision on one is for that one", async () => {
    const stage = onStage();
    const { page, folder, model } = stage;
    await startRun(stage, "Write the first file", write("first.txt", "1\n"));
    await cardOf(page, 1).waitFor();
    await runPaletteAction(page, "AutoGPT: Open Agent Panel in Editor");
    const own = pageInEditor(page);
    await own.locator(".card.proposal").waitFor();
    model.play(write("second.txt", "2\n"));
    await runPaletteAction(page, "AutoGPT: Start Agent (Manual Profile)");
    await answer(page, "What should the agent do?", "Write the second file");
    for (const question of ["What is the agent called?", "What is it?", "Up to 5 goals", "US dollars"])
      await answer(page, question, "");
    await panel(page).locator(".card.proposal", { hasText: "second.txt" }).waitFor();
    await page.getByRole("tab", { name: /^Write the first file(?:,|$)/ }).click();
    await own.getByRole("button", { name: "Approve", exact: true }).waitFor();
    const shown = await own.locator(".task").textContent();
    const status = await page.locator('.statusbar-item[id*="autogpt.status"]').textContent();
    const badge = await activityBadge(page, "AutoGPT").textContent();
    await switchRun(page, "Write the first file");
    await panel(page).getByRole("button", { name: "More actions" }).click();
    await panel(page).getByRole("menuitem", { name: "Open as text" }).click();
    await page.getByRole("tab", { name: /^Run 2/ }).waitFor();
    await switchRun(page, "Write the second file");
    await page.getByRole("tab", { name: /^Write the first file(?:,|$)/ }).click();
    await own.getByRole("button", { name: "Approve", exact: true }).click();
    await eventually("The first file", () => fs.existsSync(path.join(folder, "first.txt")));
    await page.getByRole("tab", { name: /^first\.txt/, selected: true }).waitFor();
    await eventually("The diff is closed", async () => (await editorTab(page, "first.txt").count()) === 1);
    await page.getByRole("tab", { name: /^Write the first file(?:,|$)/ }).click();
    await page.getByRole("tab", { name: /^Write the first file(?:,|$)/, selected: true }).waitFor();
    const second = await cardOf(page, 1).count();
    for (const frame of [own, panel(page)]) await frame.getByRole("button", { name: "Stop", exact: true }).click();
    await runPaletteAction(page, "View: Close All Editors");
    assert.deepEqual(
      { shown, status: status?.trim(), badge, second, other: fs.existsSync(path.join(folder, "second.txt")) },
      {
        shown: "Write the first file",
        status: "AutoGPT: 2 runs need you",
        badge: "2",
        second: 1,
        other: false,
      },
    );
  });
});
