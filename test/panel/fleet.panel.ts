import assert from "node:assert/strict";
import path from "node:path";
import { seriousFindings } from "./support/axe.ts";
import { panels } from "./support/browser.ts";
import { ISOLATED } from "./support/isolated-scenes.ts";
import { scene, WELCOME, workedRun } from "./support/scenes.ts";

const SHOTS = path.join(import.meta.dirname, "../shots");

describe("sending a task to another machine", () => {
  const open = panels();

  it("is a mode beside Isolated, which says what it means", async () => {
    const { page, send, said } = await open({ width: 300 });
    await send({ type: "welcome", welcome: WELCOME });
    await page.getByRole("combobox", { name: "Mode", exact: true }).selectOption("Send to…");
    const lead = await page.locator(".lead").textContent();
    await page.screenshot({ path: `${SHOTS}/fleet-start-300.png` });
    await page.getByRole("textbox").fill("Fix the parser");
    await page.keyboard.press("Enter");
    assert.deepEqual(
      { lead, said: await said() },
      {
        lead: "The agent works in a sandboxed copy on another machine or a fleet of yours, even after this window closes. It asks you here. You choose the place next.",
        said: [{ type: "start", task: "Fix the parser", elsewhere: true }],
      },
    );
  });
});

describe("a run on another machine", () => {
  const open = panels();
  const machine = "build-box-with-a-long-name.example.com";
  const measure = (): boolean => document.documentElement.scrollWidth > document.documentElement.clientWidth;

  for (const width of [170, 300])
    it(`names its machine and says when it can't be reached, at ${width} px`, async () => {
      const { page, send } = await open({ width, height: 700 });
      const run = workedRun(ISOLATED);
      const lost = "The connection to box ended. A run there goes on without it.";
      await send(...run.opening({ machine }), { type: "waiting", run: run.id, running: true, lost });
      const header = page.locator(".run-header");
      const pause = await page.getByRole("button", { name: "Pause" }).count();
      await page.screenshot({ path: `${SHOTS}/fleet-lost-${width}.png` });
      assert.deepEqual(
        {
          badge: await header.locator(".badge").first().textContent(),
          status: (await header.getByRole("status").innerText()).trim(),
          wide: await page.evaluate(measure),
          pause,
          findings: await seriousFindings(page),
        },
        {
          badge: machine,
          status: lost,
          wide: false,
          pause: 0,
          findings: [],
        },
      );
    });

  it("has a card that can only be approved or rejected", async () => {
    const { page, send } = await open({ width: 300, height: 700 });
    const run = workedRun(ISOLATED);
    const waiting = scene("waiting").findLast((message) => message.type === "waiting");
    const card = waiting?.type === "waiting" ? waiting.card : undefined;
    assert.ok(card);
    await send(...run.opening({ machine }), { type: "waiting", run: run.id, card: { ...card, remote: true } });
    await page.screenshot({ path: `${SHOTS}/fleet-card-300.png` });
    assert.deepEqual(
      {
        approve: await page.getByRole("button", { name: "Approve", exact: true }).count(),
        more: await page.getByRole("button", { name: "More ways to approve" }).count(),
        reject: await page.getByRole("button", { name: "Reject", exact: true }).count(),
      },
      { approve: 1, more: 0, reject: 1 },
    );
  });

  it("offers its review at the end, and continues there with what is said then", async () => {
    const { page, send, said } = await open({ width: 300, height: 700 });
    const run = workedRun(ISOLATED);
    run.add({ type: "over", end: { reason: "finished", summary: "The parser keeps the minus sign now." } });
    await send(...run.opening({ machine, running: false }));
    await page.screenshot({ path: `${SHOTS}/fleet-end-300.png` });
    await page.locator(".card.end").getByRole("button", { name: "Review changes" }).click();
    await page.getByRole("textbox").fill("Test it, too");
    await page.keyboard.press("Enter");
    assert.deepEqual(await said(), [
      { type: "act", action: "reviewChanges" },
      { type: "say", text: "Test it, too" },
    ]);
  });
});
