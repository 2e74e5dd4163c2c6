import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { diffEditor, linesOf } from "../support/diff.ts";
import { eventually } from "../support/eventually.ts";
import { runPaletteAction } from "../support/quick-input.ts";
import { startRun } from "../support/runs.ts";
import { complete, write } from "../support/steps.ts";
import { openFile } from "../support/workbench.ts";
import { useStage } from "./stage.ts";

/** A diff opens by itself only after two seconds without typing. */
const QUIET_MS = 2_500;

describe("a diff that opens by itself", () => {
  const onStage = useStage();

  it("takes no keystrokes from someone who is still typing in a file", async () => {
    const stage = onStage();
    const { page, folder } = stage;
    const file = path.join(folder, "own-words.md");
    fs.writeFileSync(file, "words\n");
    const thinking = Promise.withResolvers<void>();
    const reply = write("beside.txt", "By the agent.\n", { until: thinking.promise });
    await startRun(stage, "Write", reply, complete());
    await openFile(page, file);
    await page.locator(".editor-group-container.active .view-line").first().click();
    await page.keyboard.press("Home");
    await page.waitForTimeout(QUIET_MS);
    thinking.resolve();
    await diffEditor(page).modified.getByText("By the agent.").first().waitFor();
    await page.keyboard.type("mine ");
    await page.keyboard.press("ControlOrMeta+s");
    const saved = await eventually("The saved file", () => {
      const text = fs.readFileSync(file, "utf8");
      // VS Code empties a file before it writes it.
      return text !== "words\n" && text !== "" && text;
    });

    assert.deepEqual(
      { saved, proposal: (await linesOf(diffEditor(page).modified)).join("") },
      { saved: "mine words\n", proposal: "By the agent." },
    );
    await runPaletteAction(page, "View: Close Editor");
  });
});
