import assert from "node:assert/strict";
import { THEMES, takePicture } from "./support/pictures.ts";
import { openVsCode, type VsCode } from "./support/vscode.ts";
import { panel } from "./support/webview.ts";
import { openViewContainer } from "./support/workbench.ts";

describe("the demo", () => {
  let vscode: VsCode;

  before(async () => {
    vscode = await openVsCode({ workspace: null, settings: THEMES.light });
  });

  after(() => vscode?.close());

  it("is offered by the empty panel, beside the key", async () => {
    await openViewContainer(vscode.page, "AutoGPT");

    await panel(vscode.page).getByRole("button", { name: /demo/i }).waitFor();
    await panel(vscode.page)
      .getByRole("button", { name: /API key/i })
      .waitFor();
    await takePicture(vscode.page, "welcome");
  });

  it("runs to its end without a key, a network or an open folder", async () => {
    const { page } = vscode;
    await panel(page).getByRole("button", { name: /demo/i }).click();
    const approve = panel(page).getByRole("button", { name: "Approve", exact: true });
    const over = panel(page).getByRole("heading", { name: /finished/i });
    for (let count = 0; count < 12; count++) {
      await approve.or(over).first().waitFor({ timeout: 30_000 });
      if (await over.isVisible()) break;
      await page.waitForTimeout(650);
      if (count === 0) await takePicture(page, "demo");
      if (await approve.isEnabled()) await approve.click();
    }

    await over.waitFor();
    await takePicture(page, "demo-finished");
    assert.deepEqual(vscode.troubles, []);
  });
});
