import assert from "node:assert/strict";
import { panels } from "./support/browser.ts";
import { choose } from "./support/keyboard.ts";
import { scene, workedRun } from "./support/scenes.ts";

describe("a panel whose extension is slow to start", () => {
  const open = panels();

  it("says that it restores, and shows no start page before it knows the state", async () => {
    const { page } = await open();
    assert.deepEqual(
      {
        text: (await page.locator("main").textContent())?.trim(),
        fields: await page.getByRole("textbox").count(),
      },
      { text: "Restoring…", fields: 0 },
    );
  });

  it("shows the run without a click when the first answer takes 30 seconds", async () => {
    const { page, send } = await open({ clock: true });
    await page.clock.runFor(30_000);
    const meanwhile = (await page.locator("main h1").textContent())?.trim();
    await page.clock.resume();
    await send(...scene("waiting"));
    assert.deepEqual(
      {
        meanwhile,
        card: await page.locator("#card-heading").count(),
        silent: await page.locator("main.broken").count(),
      },
      { meanwhile: "AutoGPT is taking longer than usual", card: 1, silent: 0 },
    );
  });

  it("asks for the state again while nothing comes, and no more once it is there", async () => {
    const { page, send } = await open({ clock: true });
    const asked = (): Promise<number> =>
      page.evaluate(() => window.heard.filter((one) => JSON.stringify(one) === '{"type":"ready"}').length);
    await page.clock.runFor(40_000);
    const silent = await asked();
    await page.clock.resume();
    await send(...scene("start"));
    await page.clock.fastForward(300_000);
    assert.deepEqual({ silent, after: await asked() }, { silent: 4, after: 4 });
  });

  it("asks at once when the user wants that", async () => {
    const { page, said } = await open({ clock: true });
    await page.clock.runFor(11_000);
    const before = await page.evaluate(() => window.heard.length);
    await page.getByRole("button", { name: "Try Again" }).click();
    await said();
    const heard = await page.evaluate(() => window.heard.length);
    assert.deepEqual({ before, heard }, { before, heard: 0 });
  });
});

describe("a run that was interrupted while it waited for an answer", () => {
  const open = panels();

  it("still shows the question, and asks for the answer", async () => {
    const { page, send } = await open();
    const run = workedRun();
    run.step({ call: { name: "ask_user", args: { question: "Which **shop**?" } }, until: "began" });
    await send(...run.opening({ running: false }));
    assert.deepEqual(
      {
        bold: await page.locator(".card.paused strong").allTextContents(),
        hint: await page.getByRole("textbox").getAttribute("placeholder"),
      },
      { bold: ["shop"], hint: "Answer the agent…" },
    );
  });
});

describe("what is written in a card's forms", () => {
  const open = panels();

  it("survives a reload: edited arguments", async () => {
    const first = await open();
    await first.send(...scene("waiting"));
    await choose(first.page, "Other ways to decide", "Edit arguments…");
    await first.page.locator("#card-input").fill('{"command_line": "npm t');
    const second = await open({ kept: await first.kept() });
    await second.send(...scene("waiting"));
    assert.equal(await second.page.locator("#card-input").inputValue(), '{"command_line": "npm t');
  });

  it("waits where it was written while another run is shown", async () => {
    const { page, send } = await open();
    await send(...scene("waiting"));
    await choose(page, "Other ways to decide", "Edit arguments…");
    await page.locator("#card-input").fill('{"command_line": "ls"}');
    await send(...scene("start"), ...scene("waiting"));
    assert.equal(await page.locator("#card-input").inputValue(), '{"command_line": "ls"}');
  });
});
