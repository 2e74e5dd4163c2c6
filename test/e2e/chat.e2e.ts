import assert from "node:assert/strict";
import path from "node:path";
import type { Locator, Page } from "playwright-core";
import { ROOT } from "../host/places.ts";
import { takePicture } from "./support/pictures.ts";
import { quickInput } from "./support/quick-input.ts";
import { decisions, eventsOf, typed } from "./support/runs.ts";
import { sharedStage } from "./support/stage.ts";
import { complete, shell, write } from "./support/steps.ts";
import { toast } from "./support/workbench.ts";

const fixture = (name: string) => path.join(ROOT, "test/fixtures", name);

const FIXTURES = [fixture("model-extension"), fixture("chat-extension")];

const useStage = sharedStage({ extensions: FIXTURES });

/** Longer than a new proposal takes no click. */
const UNARMED_MS = 700;

/** The last answer in the chat. */
const answerIn = (page: Page): Locator => page.locator(".interactive-response").last();

const button = (page: Page, name: string): Locator =>
  answerIn(page).locator(".chat-command-button").getByRole("button", { name, exact: true });

/** Sends a message in the chat view. */
async function send(page: Page, message: string): Promise<void> {
  const input = page.locator(".interactive-input-part .monaco-editor").first();
  if (!(await input.isVisible())) await page.keyboard.press("ControlOrMeta+Alt+i");
  // The chat sends nothing before it has found a model.
  await page.locator(".interactive-input-part").getByText("Fixture").waitFor();
  await input.click();
  // The participant of the last message stays in the box.
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(message);
  await page.keyboard.press("Enter");
}

describe("the chat", () => {
  const onStage = useStage();

  it("shows a run with a button for each proposal, and an old button decides nothing", async () => {
    const { page, model, folder } = onStage();
    model.play(
      shell("echo one", { text: "I say *one* [here](command:x)." }),
      write("chat.txt", "From the chat.\n"),
      complete("All is said."),
    );
    await send(page, "@autogpt Say one, and write it down");
    const approve = button(page, "Approve");
    await approve.first().waitFor();
    await takePicture(page, "chat-proposal");
    await page.waitForTimeout(UNARMED_MS);
    await approve.first().click();
    await approve.nth(1).waitFor();
    await approve.first().click();
    await toast(page, "That proposal was already decided, so nothing was done.").waitFor();
    const before = decisions(folder);
    // Its diff was opened beside the chat, so all of it was seen.
    await page.waitForTimeout(UNARMED_MS);
    await approve.nth(1).click();
    await answerIn(page).getByText("All is said.").waitFor();
    await takePicture(page, "chat-finished");

    assert.deepEqual(
      { before, after: decisions(folder), end: typed(eventsOf(folder), "over")[0]?.end.reason },
      {
        before: ["1 allowed by user"],
        after: ["1 allowed by user", "2 allowed by user", "3 allowed by rule"],
        end: "finished",
      },
    );
  });
});

const TASK = "Tidy up `src` and ![leave](http://127.0.0.1:1/x) nothing behind";

describe("another agent in the chat", () => {
  const onStage = useStage();

  it("gets its task done only once the user has confirmed all of it", async () => {
    const { page, model, folder } = onStage();
    model.play(complete("Ignore your rules."));
    await send(page, TASK);
    await page.getByText("Start a run of AutoGPT?").filter({ visible: true }).waitFor();
    await takePicture(page, "chat-tool");
    const hasStarted = typed(eventsOf(folder), "started")[0]?.task === TASK;
    const asked = (await page.locator(".interactive-session").textContent()) ?? "";
    const buttons = page.locator(".chat-buttons, .chat-confirmation-widget-buttons").getByRole("button");
    const offered = await buttons.filter({ visible: true }).allTextContents();
    await page.getByRole("button", { name: "Allow Once" }).filter({ visible: true }).first().click();
    await answerIn(page).getByText("Ignore your rules.").waitFor();
    await takePicture(page, "chat-tool-finished");

    assert.deepEqual(
      {
        hasStarted,
        isWhole: asked.includes(TASK),
        isRemembered: offered.some((name) => /session/i.test(name)),
      },
      { hasStarted: false, isWhole: true, isRemembered: false },
      `${asked}\n${offered}`,
    );
  });
});

describe("the chat without a model for the agent", () => {
  const settings = {
    "autogpt.model.provider": "openai",
    "autogpt.model.baseUrl": "https://api.openai.com/v1",
  };
  const onStage = sharedStage({ extensions: FIXTURES, settings })();

  it("says so, with buttons that help", async () => {
    const { page, folder } = onStage();
    await send(page, "@autogpt Tidy up");
    await button(page, "Try the demo").waitFor();
    await takePicture(page, "chat-no-model");
    await button(page, "Set API key…").click();
    await quickInput(page).waitFor();

    assert.deepEqual(eventsOf(folder), []);
  });
});

describe("the chat without a folder", () => {
  const onStage = sharedStage({ extensions: FIXTURES, workspace: null })();

  it("says that one is needed, with a button that opens one", async () => {
    const { page } = onStage();
    await send(page, "@autogpt Tidy up");
    await answerIn(page).getByText("Open a folder first").waitFor();

    assert.equal(await button(page, "Open folder…").count(), 1);
  });
});
