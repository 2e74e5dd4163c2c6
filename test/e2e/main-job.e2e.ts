import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import type { FakeModelServer } from "../support/fake-model-server.ts";
import { clickTitleButton, diffEditor } from "./support/diff.ts";
import { THEMES, takePicture } from "./support/pictures.ts";
import { DRAFT, lastTold, playedModel } from "./support/played-model.ts";
import { answer, runPaletteAction } from "./support/quick-input.ts";
import { openVsCode, type VsCode } from "./support/vscode.ts";
import { panel } from "./support/webview.ts";

const BUG = "sum - voucher.percent / 100";
const FIX = "sum * (1 - voucher.percent / 100)";

describe("the main job", () => {
  let model: FakeModelServer;
  let vscode: VsCode;

  before(async () => {
    model = await playedModel([
      {
        text: "I look at the code that the test is about.",
        command: "read_file",
        args: { filename: "src/basket.js" },
        pauseMs: 60,
      },
      {
        text: "The percentage is subtracted as if it were cents. I mend that.",
        command: "edit_file",
        args: { filename: "src/basket.js", edits: [{ search: BUG, replace: FIX }] },
      },
      { text: "I check it.", command: "execute_shell", args: { command_line: "node --test" } },
      {
        text: "All is well.",
        command: "task_complete",
        args: { reason: "The voucher takes its share off again." },
      },
    ]);
    vscode = await openVsCode({
      settings: {
        ...THEMES.dark,
        "autogpt.model.baseUrl": model.baseUrl,
        "autogpt.model.smart": "served-model",
      },
    });
  });

  after(async () => {
    await vscode?.close();
    await model?.close();
  });

  it("drafts a profile from one line and lets it be reviewed", async () => {
    const { page } = vscode;
    await runPaletteAction(page, "AutoGPT: Start Agent");
    await answer(page, /What shall the agent do/, "Mend the failing test");

    await panel(page).getByRole("textbox", { name: "Name" }).waitFor();
    await takePicture(page, "profile");

    assert.equal(await panel(page).getByRole("textbox", { name: "Name" }).inputValue(), DRAFT.name);
  });

  it("streams its thoughts, and shows a proposed change as a diff", async () => {
    const { page } = vscode;
    await panel(page).getByRole("button", { name: "Start" }).click();
    await panel(page).getByText("I look at the code").first().waitFor();

    const diff = diffEditor(page);
    await diff.modified.getByText("1 - voucher.percent").first().waitFor();
    await takePicture(page, "diff");
    assert.match(
      fs.readFileSync(path.join(vscode.folder, "src/basket.js"), "utf8"),
      /sum - voucher\.percent \/ 100/,
    );
  });

  it("writes what stands in the diff once it is approved", async () => {
    const { page } = vscode;
    await page.waitForTimeout(600);
    await clickTitleButton(page, "Approve Command");

    await panel(page).getByText("node --test").first().waitFor();
    await takePicture(page, "card");
    assert.match(fs.readFileSync(path.join(vscode.folder, "src/basket.js"), "utf8"), /1 - voucher\.percent/);
  });

  it("runs an approved command and finishes the task", async () => {
    const { page } = vscode;
    await page.waitForTimeout(600);
    await panel(page).getByRole("button", { name: "Approve", exact: true }).click();
    await panel(page).getByText("All is well.").first().waitFor();
    await page.waitForTimeout(600);
    await panel(page).getByRole("button", { name: "Approve", exact: true }).click();

    await panel(page).getByText("The voucher takes its share off again.").first().waitFor();
    await takePicture(page, "finished");
    assert.match(lastTold(model), /Exit code 0/);
    assert.deepEqual(vscode.troubles, []);
  });
});
