import assert from "node:assert/strict";
import {
  addUsage,
  countTokensForLimit,
  findExhaustedLimit,
  getTighterLimits,
  NOTHING_SPENT,
  renderBudget,
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
      totals.map((sum) => ({ shown: sum.input + sum.output, counted: countTokensForLimit(sum) })),
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
    assert.equal(findExhaustedLimit(totals, NO_LIMITS), undefined);
  });

  const cases = [
    ["usd", { usd: 2 }, { usd: 2 }],
    ["tokens", { input: 600, output: 400 }, { tokens: 1000 }],
    ["steps", { steps: 5 }, { steps: 5 }],
    ["replies", { replies: 7 }, { replies: 7 }],
    ["minutes", { activeMs: 120_000 }, { minutes: 2 }],
  ] as const;
  for (const [limit, totals, limits] of cases) {
    it(`is exhausted exactly when the ${limit} are used up`, () => {
      const almost = Object.fromEntries(Object.entries(totals).map(([key, value]) => [key, value * 0.99]));
      assert.deepEqual(
        [spent(almost), spent(totals)].map((sum) => findExhaustedLimit(sum, { ...NO_LIMITS, ...limits })),
        [undefined, limit],
      );
    });
  }

  it("names the money first when several limits are reached", () => {
    const totals = spent({ usd: 1, steps: 1, input: 1 });
    assert.equal(findExhaustedLimit(totals, { steps: 1, replies: 1, tokens: 1, minutes: 1, usd: 1 }), "usd");
  });

  it("takes the tighter of two limits, and 0 for none", () => {
    assert.deepEqual(
      getTighterLimits(
        { steps: 10, replies: 30, tokens: 0, minutes: 5, usd: 0 },
        { steps: 20, replies: 20, tokens: 7, minutes: 0 },
      ),
      { steps: 10, replies: 20, tokens: 7, minutes: 5, usd: 0 },
    );
  });

  it("counts only steps whose call ran against the limit of steps", () => {
    const limits = { ...NO_LIMITS, steps: 5 };
    assert.deepEqual(
      [spent({ steps: 9, missed: 5 }), spent({ steps: 9, missed: 4 })].map((sum) => findExhaustedLimit(sum, limits)),
      [undefined, "steps"],
    );
  });
});

describe("budget, as the model reads it", () => {
  it("says nothing where nothing is limited", () => {
    assert.equal(renderBudget(spent({ usd: 3, input: 5, activeMs: 5 }), NO_LIMITS), "");
  });

  const urgencies = [
    [1.5, ""],
    [1.6, "Money left: $0.400 of $2.00."],
    [1.992, "Money left: $0.008 of $2.00. Little is left: finish the task soon."],
    [1.996, "Money left: $0.004 of $2.00. Almost nothing is left: complete the task now."],
    [2.5, "Money left: $0.000 of $2.00. The budget is spent: stop here."],
  ] as const;
  for (const [usd, text] of urgencies) {
    it(`grows more urgent: ${usd} of 2 dollars`, () => {
      assert.equal(renderBudget(spent({ usd }), { ...NO_LIMITS, usd: 2 }), text);
    });
  }

  it("says that less may be left where some calls have no known price, and nothing where none has", () => {
    assert.deepEqual(
      [spent({ usd: 1.6, unpriced: 1 }), spent({ unpriced: 9 })].map((sum) =>
        renderBudget(sum, { ...NO_LIMITS, usd: 2 }),
      ),
      ["Money left, at most: $0.400 of $2.00.", ""],
    );
  });

  it("mentions steps below a quarter of their limit, and announces the last ones", () => {
    assert.deepEqual(
      [0, 15, 16, 17].map((steps) => renderBudget(spent({ steps: steps + 3, missed: 3 }), { ...NO_LIMITS, steps: 20 })),
      [
        "",
        "",
        "Steps left: 4 of 20, this one included.",
        "Steps left: 3 of 20, this one included. Finish now: leave things in a usable state and complete the task.",
      ],
    );
  });

  it("says when few tokens, replies and minutes are left", () => {
    const limits = { ...NO_LIMITS, tokens: 1_000, replies: 100, minutes: 10 };
    assert.deepEqual(
      {
        enough: renderBudget(spent({ input: 890, replies: 90, activeMs: 8.9 * 60_000 }), limits),
        few: renderBudget(spent({ input: 950, replies: 92, activeMs: 9.5 * 60_000 }), limits),
        overspent: renderBudget(spent({ input: 1_200 }), limits),
      },
      {
        enough: "",
        few: "5% of the tokens are left. Finish the task now.\n8% of the replies are left. Finish the task now.\n5% of the minutes are left. Finish the task now.",
        overspent: "0% of the tokens are left. Finish the task now.",
      },
    );
  });

  it("is urgent only below its thresholds", () => {
    const lines = [0.015, 0.0078125].map((left) => renderBudget(spent({ usd: 1 - left }), { ...NO_LIMITS, usd: 1 }));
    assert.deepEqual(lines, [
      "Money left: $0.015 of $1.00.",
      "Money left: $0.008 of $1.00. Little is left: finish the task soon.",
    ]);
  });
});
