import assert from "node:assert/strict";
import { CountedInput } from "./support/counted-input.ts";
import { THEMES, takePicture } from "./support/pictures.ts";
import { quickInput, runPaletteAction } from "./support/quick-input.ts";
import { cardOf, endCard, toStartPage, untilArmed, waitingStep } from "./support/runs.ts";
import { sharedStage } from "./support/stage.ts";
import { pageInEditor, panel } from "./support/webview.ts";
import { openViewContainer, toast } from "./support/workbench.ts";

const useStage = sharedStage({
  workspace: null,
  settings: {
    ...THEMES.highContrast,
    "autogpt.model.baseUrl": "https://api.openai.com/v1",
    "autogpt.model.smart": "",
  },
});

describe("a window without a folder and without a key", () => {
  const onStage = useStage();

  it("runs the demo to its end by keyboard, with six keys and the approvals", async function () {
    this.timeout(120_000);
    const { page, troubles } = onStage();
    const input = new CountedInput(page);
    await input.press("F1");
    await quickInput(page).locator("input.input").waitFor();
    await input.type("demo");
    await quickInput(page).locator(".monaco-list-row.focused", { hasText: "AutoGPT: Try the Demo" }).waitFor();
    await input.press("Enter");
    const over = endCard(page, "Finished");
    const asked: number[] = [];
    for (let step = await waitingStep(page, over); step !== undefined; step = await waitingStep(page, over)) {
      asked.push(step);
      await untilArmed(page, step);
      await input.press("Control+Alt+y");
      await cardOf(page, step).waitFor({ state: "detached" });
    }
    await takePicture(page, "demo-finished");

    await panel(page).getByText("all checks pass").first().waitFor();
    assert.deepEqual(
      { approvals: asked.length, keys: input.keys - asked.length, clicks: input.clicks, troubles },
      { approvals: 4, keys: 6, clicks: 0, troubles: [] },
    );
  });

  it("offers a model for a task of the user's own once the demo has finished", async () => {
    const { page } = onStage();
    await panel(page).getByRole("button", { name: "Set up model" }).click();
    await pageInEditor(page).getByRole("heading", { name: "Models", exact: true }).waitFor();
    await runPaletteAction(page, "View: Close All Editors");
    await toStartPage(page);
  });

  it("offers the demo and the key, and says that a folder is needed for more", async () => {
    const { page } = onStage();
    await openViewContainer(page, "AutoGPT");
    const view = panel(page);
    await view.getByRole("button", { name: "Set API Key…" }).waitFor();
    await takePicture(page, "welcome");

    assert.deepEqual(
      [
        await view.getByRole("button", { name: "Try the Demo" }).isEnabled(),
        await view.getByRole("textbox").isEnabled(),
      ],
      [true, false],
    );
    await view.getByText("Open a folder first").waitFor();
  });

  it("starts no agent, and says why", async () => {
    const { page } = onStage();
    await runPaletteAction(page, "AutoGPT: Start Agent");
    const warning = toast(page, "Open a folder first: the agent works on the files of an open folder.");
    await warning.getByRole("button", { name: "Open Folder…" }).waitFor();

    await runPaletteAction(page, "Notifications: Clear All Notifications");
    await warning.waitFor({ state: "detached" });
  });

  it("starts the demo from its button", async () => {
    const { page, troubles } = onStage();
    await panel(page).getByRole("button", { name: "Try the Demo" }).click();
    await waitingStep(page, endCard(page, "Finished"));
    await panel(page).getByRole("button", { name: "Stop", exact: true }).click();
    await endCard(page, "Stopped").waitFor();

    assert.deepEqual(troubles, []);
  });
});
