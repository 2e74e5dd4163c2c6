import assert from "node:assert/strict";
import path from "node:path";
import { panels } from "./support/browser.ts";
import { tabTo } from "./support/keyboard.ts";
import { WELCOME, workedRun } from "./support/scenes.ts";

const SHOTS = path.join(import.meta.dirname, "../shots");

describe("an earlier message of the user", () => {
  const open = panels();

  it("is edited by keyboard above what is being written, and canceled or sent in other words", async () => {
    const { page, send, said, troubles } = await open({ width: 300 });
    const run = workedRun();
    const message = run.events.find(({ type }) => type === "said");
    assert.ok(message?.type === "said");
    const { seq, text } = message;
    await send({ type: "welcome", welcome: WELCOME }, ...run.opening());
    const box = page.locator("#composer");
    await box.fill("My next thought");
    await tabTo(page, "Edit this message and send it again");
    await page.keyboard.press("Enter");
    const edited = await box.inputValue();
    await page.screenshot({ path: `${SHOTS}/editing-message.png` });
    await box.press("Escape");
    const canceled = await box.inputValue();
    await page.getByRole("button", { name: "Edit this message and send it again" }).click();
    await box.fill("Mind the parser.");
    await page.keyboard.press("Enter");
    const waiting = { text: await box.inputValue(), locked: await box.getAttribute("readonly") };
    await send({ type: "notice", kind: "error", text: "Another window works on this run." });
    const kept = await box.inputValue();
    await page.keyboard.press("Enter");
    await send(...workedRun({ id: "20260102_100000_fixer_0a1c" }).opening());
    assert.deepEqual(
      { edited, canceled, waiting, kept, left: await box.inputValue(), said: await said(), troubles: troubles() },
      {
        edited: text,
        canceled: "My next thought",
        waiting: { text: "Mind the parser.", locked: "" },
        kept: "Mind the parser.",
        left: "",
        said: [
          { type: "editMessage", seq, text: "Mind the parser." },
          { type: "editMessage", seq, text: "Mind the parser." },
        ],
        troubles: [],
      },
    );
  });
});
