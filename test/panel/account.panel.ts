import assert from "node:assert/strict";
import path from "node:path";
import type { PanelUpdate } from "../../src/schema/panel-messages.ts";
import type { UsageReport } from "../../src/schema/panel-values.ts";
import { panels } from "./support/browser.ts";
import { COSTS, workedRun } from "./support/scenes.ts";

const ACCOUNT: UsageReport = {
  models: [{ name: "gpt-large", usd: 0.0161, tokens: 27_600, unpriced: 0 }],
  days: [
    { name: "2026-01-02", usd: 0.42, tokens: 1_250_000, unpriced: 2 },
    { name: "2026-01-01", usd: 0, tokens: 900, unpriced: 1 },
  ],
  allModels: [{ name: "gpt-small", usd: 0.0008, tokens: 4_000, unpriced: 0 }],
  memory: {
    count: 1_204,
    embedded: 1_100,
    embedder: "table-minilm-en-1",
    bytes: 5_260_000,
    reading: true,
    notices: ["A part of the memory is damaged (seg-00002); the rest is in use."],
  },
};

const { memory: _, ...UNUSED } = ACCOUNT;
const opening = (account: UsageReport): readonly PanelUpdate[] => {
  const run = workedRun();
  return [...run.opening(), { type: "account", run: run.id, account }];
};

describe("spending and memory in the panel", () => {
  const open = panels();

  it("are a line each, and complete when unfolded by keyboard", async () => {
    const { page, send, troubles } = await open({ width: 1100 });
    await send(...opening(ACCOUNT));
    const fold = async (name: string) => {
      const section = page.locator(`details.${name}`);
      const [folded = ""] = await section.locator("summary").allInnerTexts();
      await section.locator("summary").focus();
      await page.keyboard.press("Enter");
      await section.locator("li, p").first().waitFor();
      const told = await section.locator("h3, li, p").allInnerTexts();
      return { folded: spaced(folded), told: told.map(spaced) };
    };
    assert.deepEqual(
      { spending: await fold("spending"), memory: await fold("memory"), troubles: troubles() },
      {
        spending: {
          folded: "Spending Fri, Jan 2: $0.42 or more · 1.3M tokens",
          told: [
            "This run, by model",
            "gpt-large $0.016 · 27.6k tokens",
            "All runs, by day",
            "Fri, Jan 2 $0.42 or more · 1.3M tokens",
            "Thu, Jan 1 Price unknown · 900 tokens",
            "All runs of 30 days, by model",
            "gpt-small $0.0008 · 4k tokens",
          ],
        },
        memory: {
          folded: "Memory 1,204 memories",
          told: [
            "5.3 MB on disk · found by words and meaning (built in; 1,100 of 1,204 so far)",
            "Another window writes this memory and also stores the new entries of this one.",
            "A part of the memory is damaged (seg-00002); the rest is in use.",
          ],
        },
        troubles: [],
      },
    );
  });

  it("stay unfolded while the figures change", async () => {
    const { page, send } = await open();
    const [...messages] = opening(ACCOUNT);
    await send(...messages);
    await page.locator(".facts > summary").click();
    await page.locator("details.memory summary").click();
    await page.locator("details.memory p").first().waitFor();
    const memory = { ...ACCOUNT.memory, count: 1, embedded: 1, embedder: "offline", bytes: 0 };
    await send(...opening({ ...UNUSED, memory: { ...memory, reading: false, notices: [] } }).slice(-1));
    assert.deepEqual((await page.locator("details.memory").locator("summary, p").allInnerTexts()).map(spaced), [
      "Memory 1 memory",
      "0 bytes on disk · found by words and meaning (offline)",
    ]);
  });

  it("show nothing of a memory that was not used", async () => {
    const { page, send } = await open({ width: 1100 });
    await send(...opening(UNUSED));
    assert.deepEqual(
      [await page.locator("details.spending").count(), await page.locator("details.memory").count()],
      [1, 0],
    );
  });
});

function spaced(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

describe("the page of costs over all folders", () => {
  const open = panels();

  for (const [width, theme] of [
    [900, "dark-2026"],
    [300, "light-2026"],
  ] as const)
    it(`shows the budgets, and costs by day, model, folder and month, ${width} pixels wide`, async () => {
      const { page, send, said, troubles } = await open({ width, place: "editor", theme });
      await send({ type: "costs", costs: COSTS });
      const rows = await page.locator("tr").evaluateAll((all) => all.map(({ textContent }) => textContent ?? ""));
      await page.screenshot({ path: path.join(import.meta.dirname, `../shots/costs-${width}.png`) });
      await page.getByRole("button", { name: /budgetPerDay/ }).click();
      assert.deepEqual(
        {
          rows: rows.map(spaced),
          budgets: await page.locator(".role .model").allTextContents(),
          said: await said(),
          troubles: troubles(),
        },
        {
          rows: [
            "Fri, Jan 2 $4.25 or more · 1.3M tokens",
            "Thu, Jan 1 Price unknown · 900 tokens",
            "gpt-large $4.25 or more · 1.3M tokens",
            "/home/me/a-project-with-a-rather-long-name/and-a-folder $4.25 or more · 1.3M tokens",
            "January 2026 $31.50 or more · 9M tokens",
          ],
          budgets: ["$4.25 of $5.00", "$31.50, without a limit"],
          said: [{ type: "openSetting", setting: "autogpt.run.budgetPerDay" }],
          troubles: [],
        },
      );
    });
});
