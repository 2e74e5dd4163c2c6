import assert from "node:assert/strict";
import path from "node:path";
import type { Locator, Page } from "playwright-core";
import { ROOT } from "../host/places.ts";
import { takePicture } from "./support/pictures.ts";
import { decisions, eventsOf, typed } from "./support/runs.ts";
import { sharedStage } from "./support/stage.ts";
import { complete, shell, write } from "./support/steps.ts";
import { toast } from "./support/workbench.ts";

const fixture = (name: string) => path.join(ROOT, "test/fixtures", name);

const useStage = sharedStage({ extensions: [fixture("model-extension"), fixture("chat-extension")] });

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
