import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { LLMock } from "@copilotkit/aimock";
import { createDraftMessages } from "../../../src/core/prompt/profile.ts";
import { answerDialog } from "../support/dialogs.ts";
import { diffEditor } from "../support/diff.ts";
import { THEMES, takePicture } from "../support/pictures.ts";
import { DRAFT } from "../support/played-model.ts";
import { quickInput, runPaletteAction } from "../support/quick-input.ts";
import { cardOf, decisions, endCard, toStartPage, untilArmed, waitingStep } from "../support/runs.ts";
import { complete, write } from "../support/steps.ts";
import { openVsCode, openWindows, type VsCode } from "../support/vscode.ts";
import { panel } from "../support/webview.ts";
import { openViewContainer } from "../support/workbench.ts";

const mock = new LLMock({ port: 0, logLevel: "silent" });
let vscode: VsCode;

/** A model server that others wrote, and a folder that nobody has trusted yet. */
async function setUp(): Promise<void> {
  for (const other of openWindows) await other.close();
  await mock.start();
  mock.on({ systemMessage: createDraftMessages("")[0]?.content ?? "" }, { content: JSON.stringify(DRAFT) });
  for (const [index, { text, command, args }] of [write("typed.md", "No mouse.\n"), complete()].entries()) {
    const call = { name: command, arguments: JSON.stringify({ thoughts: { text }, ...args }) };
    mock.on({ predicate: ({ messages }) => toolResults(messages) === index }, { toolCalls: [call] });
  }
  vscode = await openVsCode({
    trust: true,
    settings: {
      ...THEMES.highContrastLight,
      "autogpt.model.baseUrl": `${mock.url}/v1`,
      "autogpt.model.smart": "gpt-4o",
    },
    whenClosed: () => mock.stop(),
  });
}

function toolResults(messages: readonly { readonly role: string }[]): number {
  return messages.filter(({ role }) => role === "tool").length;
}

describe("a folder in Restricted Mode", () => {
  before(setUp);

  it("lets no agent run, and says how to change that", async () => {
    const { page } = vscode;
    await answerDialog(page, "No, I don't trust");
    await openViewContainer(page, "AutoGPT");
    await panel(page).getByText("This folder is in Restricted Mode").waitFor();
    await takePicture(page, "restricted");

    assert.equal(await panel(page).getByRole("textbox").isEnabled(), false);
  });

  it("runs the demo to its end, in a folder of its own", async function () {
    this.timeout(120_000);
    const { page, troubles } = vscode;
    await panel(page).getByRole("button", { name: "Try the Demo" }).click();
    const over = endCard(page, "Finished");
    for (let step = await waitingStep(page, over); step !== undefined; step = await waitingStep(page, over)) {
      await untilArmed(page, step);
      await page.keyboard.press("Control+Alt+y");
      await cardOf(page, step).waitFor({ state: "detached" });
    }
    await takePicture(page, "restricted-demo");

    await panel(page).getByText("all checks pass").first().waitFor();
    assert.deepEqual(troubles, []);
    await runPaletteAction(page, "View: Close All Editors");
    await toStartPage(page);
  });

  it("can be worked in once it is trusted", async () => {
    const { page } = vscode;
    await panel(page).getByRole("button", { name: "Manage Workspace Trust…" }).click();
    await page.locator(".workspace-trust-editor").getByRole("button", { name: "Trust", exact: true }).click();

    await panel(page).locator("textarea:enabled").waitFor();
  });
});

describe("without a mouse", () => {
  it("a task goes from the palette to its end", async () => {
    const { page, folder } = vscode;
    await page.keyboard.press("F1");
    await quickInput(page).locator("input.input").waitFor({ state: "visible" });
    await page.keyboard.type("AutoGPT: Start Agent");
    await quickInput(page).locator(".monaco-list-row.focused", { hasText: "AutoGPT: Start Agent" }).waitFor();
    await page.keyboard.press("Enter");
    await quickInput(page).getByText("What should the agent do?").waitFor();
    await page.keyboard.type("Write without a mouse");
    await page.keyboard.press("Enter");
    await panel(page).locator("#profile-start:focus").waitFor();
    await page.keyboard.press("Enter");
    await diffEditor(page).modified.getByText("No mouse.").first().waitFor();
    await untilArmed(page, 1);
    await page.keyboard.press("ControlOrMeta+Alt+y");
    await endCard(page, "Finished").waitFor();
    await takePicture(page, "keyboard");

    assert.deepEqual(
      [decisions(folder), fs.readFileSync(path.join(folder, "typed.md"), "utf8"), vscode.troubles],
      [["1 allowed by user", "2 allowed by rule"], "No mouse.\n", []],
    );
  });
});
