import assert from "node:assert/strict";
import { THEMES, takePicture } from "./support/pictures.ts";
import { quickInput, quickPickRow } from "./support/quick-input.ts";
import { openVsCode, type VsCode } from "./support/vscode.ts";
import { openViewContainer, treeRow } from "./support/workbench.ts";

describe("the installed extension", () => {
  let vscode: VsCode;

  before(async () => {
    vscode = await openVsCode({ settings: THEMES.dark });
  });

  after(() => vscode?.close());

  it("lists its actions in the palette", async () => {
    const { page } = vscode;
    await page.keyboard.press("F1");
    await quickInput(page).locator("input.input").fill(">AutoGPT: Start Agent");

    await quickPickRow(page, "AutoGPT: Start Agent").first().waitFor();

    await page.keyboard.press("Escape");
  });

  it("opens its view container in the activity bar", async () => {
    await openViewContainer(vscode.page, "AutoGPT");
    await takePicture(vscode.page, "smoke");
  });

  it("shows the files of the sample workspace", async () => {
    await openViewContainer(vscode.page, "Explorer");

    await treeRow(vscode.page, "package.json").waitFor();
    assert.deepEqual(vscode.troubles, []);
  });
});
