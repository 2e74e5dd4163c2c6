import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { diffEditor, linesOf } from "../support/diff.ts";
import { runPaletteAction } from "../support/quick-input.ts";
import { startRun } from "../support/runs.ts";
import { complete, write } from "../support/steps.ts";
import { openFile } from "../support/workbench.ts";
import { useStage } from "./stage.ts";

/** A diff opens by itself only after two seconds without typing. */
const QUIET_MS = 2_500;

/** Closes the file in front without what was typed into it. */
async function closeFile(page: Page): Promise<void> {
  await runPaletteAction(page, "File: Revert File");
  await runPaletteAction(page, "View: Close Editor");
}

describe("a diff that opens by itself", () => {
  const onStage = useStage();

  it("takes no key from somebody who types on in a file", async () => {
    const stage = onStage();
    const { page } = stage;
    const thinking = Promise.withResolvers<void>();
    const reply = write("beside.txt", "By the agent.\n", { until: thinking.promise });
    await startRun(stage, "Write", reply, complete());
    await openFile(page, "README.md");
    const own = page.locator(".editor-group-container.active .monaco-editor");
    await own.locator(".view-line").first().click();
    await page.keyboard.press("Home");
    await page.waitForTimeout(QUIET_MS);
    thinking.resolve();
    await diffEditor(page).modified.getByText("By the agent.").first().waitFor();
    await page.keyboard.type("mine ");

    assert.deepEqual(
      { file: (await linesOf(own))[0], proposal: (await linesOf(diffEditor(page).modified)).join("") },
      { file: "mine # Sample workspace", proposal: "By the agent." },
    );
    await closeFile(page);
  });
});
