import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { answerDialog } from "../support/dialogs.ts";
import { eventually } from "../support/eventually.ts";
import { answer, runPaletteAction } from "../support/quick-input.ts";
import { eventsOf, toStartPage } from "../support/runs.ts";
import { panel } from "../support/webview.ts";
import { useStage } from "./stage.ts";

async function openLink(page: Page, query: string): Promise<void> {
  await runPaletteAction(page, "Developer: Open URL");
  await answer(page, /URL/, `code-oss://autogpt-vscode.autogpt/start?${query}`);
  const dialog = page.locator(".monaco-dialog-box");
  if (
    await dialog.waitFor({ timeout: 5_000 }).then(
      () => true,
      () => false,
    )
  )
    await answerDialog(page, "Open");
}

describe("a link from elsewhere", () => {
  const onStage = useStage();

  it("adds a draft to what was written, says where it's from, and starts and chooses nothing", async () => {
    const { page, folder } = onStage();
    await toStartPage(page);
    const before = eventsOf(folder).length;
    const box = panel(page).getByRole("textbox", { name: "What should the agent do?" });
    await box.fill("My own words.");
    await openLink(page, `task=${encodeURIComponent("Fix a & b\u202E")}&approval=continuous&folder=/etc`);
    await eventually("the draft", async () => (await box.inputValue()).includes("Fix"));
    const drafted = await box.inputValue();
    const note = await panel(page).locator(".composer .note").textContent();
    await openLink(page, `task=${"a".repeat(9_000)}`);
    await page
      .getByText(/The link's task has 9,000 characters/)
      .first()
      .waitFor();
    assert.deepEqual(
      {
        drafted,
        note: note?.trim(),
        kept: await box.inputValue(),
        events: eventsOf(folder).length - before,
      },
      {
        drafted: "My own words.\n\nFix a & b⟨U+202E⟩",
        note: "From a link. Check the text before you send it. The link also tried to choose how the task is done. That was ignored.",
        kept: drafted,
        events: 0,
      },
    );
  });
});
