import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { cardButton, cardOf, decisions, eventsOf, startRun, typed } from "../support/runs.ts";
import { complete, shell } from "../support/steps.ts";
import { reloadWindow } from "../support/vscode.ts";
import { answerToast } from "../support/workbench.ts";
import { useStage } from "./stage.ts";

describe("reloading the window while a proposal waits", () => {
  const onStage = useStage();

  it("offers the run again; continued, the same proposal waits, and nothing runs twice", async () => {
    const stage = onStage();
    const { page, model, folder } = stage;
    await startRun(stage, "Survive a reload", shell("echo once >> once.txt"), complete());
    await cardOf(page, 1).waitFor();
    await reloadWindow(stage);
    await answerToast(page, "AutoGPT was interrupted while it worked on: Survive a reload", "Continue");
    await cardOf(page, 1).getByText("echo once").waitFor();
    const asked = model.asked();
    await cardButton(page, 1, "Approve").click();
    await cardOf(page, 2).waitFor();

    assert.deepEqual(
      [asked, decisions(folder), typed(eventsOf(folder), "began").length],
      [1, ["1 allowed by user"], 1],
    );
    assert.equal(fs.readFileSync(path.join(folder, "once.txt"), "utf8"), "once\n");
  });
});
