import assert from "node:assert/strict";
import {
  addUsage,
  budgetText,
  countedTokens,
  exhaustedLimit,
  NOTHING_SPENT,
  tighterLimits,
} from "../../../../src/core/budget/budget.ts";
import { NO_LIMITS } from "../../../support/sample-run.ts";

const spent = (more: Partial<typeof NOTHING_SPENT>) => ({ ...NOTHING_SPENT, ...more });

describe("budget", () => {
  it("adds a call's tokens and dollars", () => {
    const once = addUsage(NOTHING_SPENT, { usage: { input: 10, output: 3, cached: 4 }, costUsd: 0.5 });
    assert.deepEqual(
      addUsage(once, { usage: { input: 1, output: 1 }, costUsd: 0.25 }),
      spent({ input: 11, output: 4, cached: 4, discounted: 3.6, usd: 0.75 }),
    );
  });

  it("counts cached input at its price against the limit, and shows all of it", () => {
    const usage = { input: 1_000, output: 20, cached: 800 };
    const totals = [{ ...usage, cachedRatio: 0.25 }, usage, { ...usage, cached: 2_000 }].map((one) =>
      addUsage(NOTHING_SPENT, { usage: one, costUsd: 0 }),
    );
    assert.deepEqual(
      totals.map((sum) => ({ shown: sum.input + sum.output, counted: countedTokens(sum) })),
      [
        { shown: 1_020, counted: 420 },
        { shown: 1_020, counted: 300 },
        { shown: 1_020, counted: 120 },
      ],
    );
  });

  it("counts a call without a price instead of guessing", () => {
    assert.deepEqual(addUsage(NOTHING_SPENT, {}), spent({ unpriced: 1 }));
  });

  it("is not exhausted where nothing is limited", () => {
    const totals = spent({ steps: 9e9, input: 9e9, usd: 9e9, activeMs: 9e15 });
    assert.equal(exhaustedLimit(totals, NO_LIMITS), undefined);
  });

  const cases = [
    ["usd", { usd: 2 }, { usd: 2 }],
    ["tokens", { input: 600, output: 400 }, { tokens: 1000 }],
    ["steps", { steps: 5 }, { steps: 5 }],
    ["minutes", { activeMs: 120_000 }, { minutes: 2 }],
  ] as const;
  for (const [limit, totals, limits] of cases) {
    it(`is exhausted exactly when the ${limit} are used up`, () => {
      const almost = Object.fromEntries(Object.entries(totals).map(([key, value]) => [key, value * 0.99]));
      assert.deepEqual(
        [spent(almost), spent(totals)].map((sum) => exhaustedLimit(sum, { ...NO_LIMITS, ...limits })),
        [undefined, limit],
      );
    });
  }

  it("names the money first when several limits are reached", () => {
    const totals = spent({ usd: 1, steps: 1, input: 1 });
    assert.equal(exhaustedLimit(totals, { steps: 1, tokens: 1, minutes: 1, usd: 1 }), "usd");
  });

  it("takes the tighter of two limits, and 0 for none", () => {
    assert.deepEqual(
      tighterLimits({ steps: 10, tokens: 0, minutes: 5, usd: 0 }, { steps: 20, tokens: 7, minutes: 0 }),
      { steps: 10, tokens: 7, minutes: 5, usd: 0 },
    );
  });
});

describe("budget, as the model reads it", () => {
  it("says nothing where nothing is limited", () => {
    assert.equal(budgetText(spent({ usd: 3, input: 5, activeMs: 5 }), NO_LIMITS), "");
  });

  const urgencies = [
    [1, "Money left: $1.000 of $2.00."],
    [1.992, "Money left: $0.008 of $2.00. Little is left: bring the task to its end."],
    [1.996, "Money left: $0.004 of $2.00. Hardly anything is left: end in good order now."],
    [2.5, "Money left: $0.000 of $2.00. The budget is spent: stop here."],
  ] as const;
  for (const [usd, text] of urgencies) {
    it(`grows more urgent: ${usd} of 2 dollars`, () => {
      assert.equal(budgetText(spent({ usd }), { ...NO_LIMITS, usd: 2 }), text);
    });
  }

  it("announces the last steps", () => {
    assert.deepEqual(
      [6, 7].map((steps) => budgetText(spent({ steps }), { ...NO_LIMITS, steps: 10 })),
      [
        "Steps left: 4 of 10, this one included.",
        "Steps left: 3 of 10, this one included. Finish now: leave things in a usable state and complete the task.",
      ],
    );
  });

  it("says when few tokens and minutes are left", () => {
    const limits = { ...NO_LIMITS, tokens: 1_000, minutes: 10 };
    assert.deepEqual(
      {
        enough: budgetText(spent({ input: 890, activeMs: 8.9 * 60_000 }), limits),
        few: budgetText(spent({ input: 950, activeMs: 9.5 * 60_000 }), limits),
        overspent: budgetText(spent({ input: 1_200 }), limits),
      },
      {
        enough: "",
        few: "Of the tokens allowed 5 % are left: bring the task to its end.\nOf the minutes allowed 5 % are left: bring the task to its end.",
        overspent: "Of the tokens allowed 0 % are left: bring the task to its end.",
      },
    );
  });

  it("is urgent only below its thresholds", () => {
    const lines = [0.01, 0.005].map((usd) => budgetText(NOTHING_SPENT, { ...NO_LIMITS, usd }));
    assert.deepEqual(lines, [
      "Money left: $0.010 of $0.01.",
      `Money left: $0.005 of $${(0.005).toFixed(2)}. Little is left: bring the task to its end.`,
    ]);
  });
});
