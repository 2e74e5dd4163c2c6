import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { panels } from "./support/browser.ts";
import { workedRun } from "./support/scenes.ts";
import { THEME_IDS } from "./support/themes.ts";

/** A worked run whose last prompt took 55,000 of 128,000 tokens. */
function fullRun() {
  const run = workedRun();
  run.step({ until: "asked", promptTokens: 55_000 });
  return run;
}

/** How often the open run's menu offers to compact. */
async function compactions(page: Page): Promise<number> {
  await page.getByRole("button", { name: "More actions" }).click();
  return page.getByRole("menuitem", { name: "Compact now" }).count();
}

describe("the meter of the context", () => {
  const open = panels();

  for (const [index, theme] of THEME_IDS.entries()) {
    const width = index % 2 === 0 ? 300 : 1100;
    it(`says how full the window is, at ${width} px in the theme ${theme}`, async () => {
      const { page, send } = await open({ theme, width });
      await send(...fullRun().opening());
      if (width === 300) await page.locator(".facts > summary").click();
      const meter = page.locator(".meter", { hasText: "Context" });
      const bar = page.getByRole("progressbar", { name: /^Context: / });
      assert.deepEqual(
        {
          shown: (await meter.locator(".meter-text").innerText()).trim(),
          name: await bar.getAttribute("aria-label"),
          tooltip: await meter.getAttribute("title"),
          visible: await meter.isVisible(),
        },
        {
          shown: "43%",
          name: "Context: 43% of the model's window (55k of 128k tokens). Older steps are summarized before it is full.",
          tooltip:
            "Context: 43% of the model's window (55k of 128k tokens). Older steps are summarized before it is full.",
          visible: true,
        },
      );
    });
  }

  it("isn't there before the first prompt", async () => {
    const { page, send } = await open({});
    const run = workedRun();
    const { promptTokens: _promptTokens, ...state } = run.state;
    await send(
      ...run
        .opening()
        .map((message) => (message.type === "snapshot" ? { ...message, state: { ...state, recent: [] } } : message)),
    );
    await page.locator(".facts > summary").click();
    const meters = await page.locator(".meter", { hasText: "Context" }).count();
    assert.deepEqual([meters, await compactions(page)], [0, 0]);
  });

  it("can be compacted from the run's menu, and shows the result", async () => {
    const { page, send, said } = await open({ width: 300 });
    await send(...fullRun().opening());
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Compact now" }).click();
    const asked = await said();
    await send({ type: "notice", kind: "info", text: "The history will be compacted before the next step." });
    const told = await page.locator(".notice").innerText();
    assert.deepEqual(
      [asked, told.trim()],
      [[{ type: "act", action: "compactNow" }], "The history will be compacted before the next step."],
    );
  });

  it("can't be compacted in a run that is over or can only be read", async () => {
    const { page, send } = await open({});
    await send(...fullRun().opening({ readOnly: true }));
    const readOnly = await compactions(page);
    await page.keyboard.press("Escape");
    const over = fullRun();
    over.add({ type: "over", end: { reason: "stopped" } });
    await send(...over.opening({ running: false }));
    assert.deepEqual([readOnly, await compactions(page)], [0, 0]);
  });
});
