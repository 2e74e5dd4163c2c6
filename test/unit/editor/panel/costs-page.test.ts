import assert from "node:assert/strict";
import { buildCostsPage } from "../../../../src/editor/panel/costs-page.ts";

const spend = (day: string, folder: string, model: string, usd: number) => ({
  day,
  folder,
  model,
  usd,
  tokens: 10,
  unpriced: 0,
});

describe("the page of costs", () => {
  it("adds up 30 days by day, model and folder, a year by month, and what is spent of the budgets", async () => {
    const asked: string[] = [];
    const ledger = {
      list: async (since: string) => {
        asked.push(since);
        return [
          spend("2026-10-30", "/b", "old", 4),
          spend("2026-10-31", "/a", "m", 1),
          spend("2026-11-28", "/b", "m", 2),
          spend("2026-11-29", "/a", "n", 5),
        ];
      },
    };
    const page = await buildCostsPage(ledger, { budgetPerDay: 9, budgetPerMonth: 0 }, new Date(2026, 10, 29, 8));
    const brief = (sums: typeof page.days): readonly string[] => sums.map(({ name, usd }) => `${name}: ${usd}`);
    assert.deepEqual(
      {
        asked,
        budgets: page.budgets,
        days: brief(page.days),
        months: brief(page.months),
        models: brief(page.models),
        folders: brief(page.folders),
      },
      {
        asked: ["2025-12-01"],
        budgets: [
          { per: "day", usd: 9, spent: 5 },
          { per: "month", usd: 0, spent: 7 },
        ],
        days: ["2026-11-29: 5", "2026-11-28: 2", "2026-10-31: 1"],
        months: ["2026-11: 7", "2026-10: 5"],
        models: ["n: 5", "m: 3"],
        folders: ["/a: 6", "/b: 2"],
      },
    );
  });
});
