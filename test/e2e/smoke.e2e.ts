import assert from "node:assert/strict";
import { THEMES, takePicture } from "./support/pictures.ts";
import { quickInput, quickPickRow } from "./support/quick-input.ts";
import { openVsCode, type VsCode } from "./support/vscode.ts";
import { panel } from "./support/webview.ts";
import { openViewContainer, treeRow } from "./support/workbench.ts";

describe("the installed extension", () => {
  let vscode: VsCode;

  before(async () => {
    // A provider that is not set up, so that there is no model, whatever runs on this machine.
    vscode = await openVsCode({ settings: { ...THEMES.dark, "autogpt.model.provider": "azure" } });
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

  it("says in its panel that there is no model yet, and lets the task be sent again", async () => {
    const view = panel(vscode.page);
    const task = view.getByRole("textbox", { name: "What should the agent do?" });
    await task.fill("Mend the test");
    await task.press("Enter");
    await view.getByText("Azure OpenAI isn't set up yet").first().waitFor();
    await view.getByRole("button", { name: "Send" }).and(view.locator(":enabled")).waitFor();

    assert.equal(await task.inputValue(), "Mend the test");
  });

  it("shows the files of the sample workspace", async () => {
    await openViewContainer(vscode.page, "Explorer");

    await treeRow(vscode.page, "package.json").waitFor();
    assert.deepEqual(vscode.troubles, []);
  });
});
