import assert from "node:assert/strict";
import fc from "fast-check";
import { NOTHING_SPENT, type Totals } from "../../../../src/core/budget/budget.ts";
import { limitReplyTokens } from "../../../../src/core/budget/reserved-budget.ts";
import { ContextBudget } from "../../../../src/core/context/context-budget.ts";
import type { Usage } from "../../../../src/core/ports/model.ts";
import { type Answer, FakeModel, says } from "../../../support/fake-model.ts";
import { rehearse } from "../../../support/rehearsal.ts";
import { NO_LIMITS } from "../../../support/sample-run.ts";

/** A dollar a thousand tokens of prompt, three of reply. */
const PRICED = { costOf: ({ input, output }: Usage) => (input + 3 * output) / 1_000 };
const CALL = { input: 2_000, reply: 4_000, leastReply: 1_000 };
const spent = (more: Partial<Totals>): Totals => ({ ...NOTHING_SPENT, ...more });

describe("a call before it is made", () => {
  const cases = [
    ["gets the reply it wants while there is enough", { usd: 100 }, {}, 4_000],
    ["gets a shorter reply when less is left, its prompt taken for a tenth longer", { usd: 8.5 }, {}, 2_100],
    ["is not made when even a short reply could exceed the money", { usd: 10 }, { usd: 6 }, "usd"],
    ["gets a shorter reply when few tokens are left", { tokens: 5_200 }, { input: 1_000 }, 2_000],
    ["is not made when it could exceed the tokens", { tokens: 5_000 }, { output: 2_500 }, "tokens"],
    ["gets the shortest reply when the money is just enough", { usd: 5.2 }, {}, 1_000],
    ["gets the shortest reply when the tokens are just enough", { tokens: 3_200 }, {}, 1_000],
    ["is bound by nothing without limits", {}, { usd: 1000 }, 4_000],
  ] as const;
  for (const [name, limits, totals, reply] of cases) {
    it(name, () =>
      assert.equal(
        limitReplyTokens({ totals: spent(totals), limits: { ...NO_LIMITS, ...limits } }, CALL, PRICED),
        reply,
      ),
    );
  }

  it("is bound by tokens alone when its price is not known", () => {
    const limits = { ...NO_LIMITS, usd: 0.0001, tokens: 10_000 };
    assert.equal(limitReplyTokens({ totals: NOTHING_SPENT, limits }, CALL, {}), 4_000);
  });

  it("counts what is on its way", () => {
    const state = { totals: NOTHING_SPENT, limits: { ...NO_LIMITS, usd: 15 } };
    assert.equal(limitReplyTokens(state, CALL, PRICED, { tokens: 0, usd: 11 }), "usd");
  });
});

describe("a run whose prompts are mostly cached", () => {
  it("takes 100 steps of 3,000 new tokens each within 2,000,000 tokens", async () => {
    const usage = { input: 63_000, output: 200, cached: 60_000 };
    const answers = Array.from({ length: 101 }, (_, at) => ({
      ...says("read_note", { title: `${at}` }),
      usage,
    }));
    const { end, run } = await rehearse({
      answers,
      start: { limits: { ...NO_LIMITS, steps: 100, tokens: 2_000_000 } },
    });
    assert.deepEqual([end, run.state.totals.input], [{ reason: "exhausted", limit: "steps" }, 6_300_000]);
  });
});

interface RandomPrices {
  readonly input: number;
  readonly output: number;
  readonly budgetUsd: number;
  readonly budgetTokens: number;
  readonly replies: readonly number[];
  readonly long: boolean;
}

const prices: fc.Arbitrary<RandomPrices> = fc.record({
  input: fc.double({ min: 0.01, max: 50, noNaN: true }),
  output: fc.double({ min: 0.01, max: 150, noNaN: true }),
  budgetUsd: fc.double({ min: 0.001, max: 2, noNaN: true }),
  budgetTokens: fc.integer({ min: 0, max: 60_000 }),
  replies: fc.array(fc.integer({ min: 1, max: 4_000 }), { minLength: 4, maxLength: 8 }),
  long: fc.boolean(),
});

/** Plays a run against servers that count and bill as these prices say; what it came to, and the dearest reply. */
async function bill({ input, output, budgetUsd, budgetTokens, replies, long }: RandomPrices) {
  const costOf = (usage: Usage): number => (usage.input * input + usage.output * output) / 1_000_000;
  const answer = (tokens: number): Answer => {
    return async ({ messages, maxReplyTokens = tokens }) => {
      const usage = {
        input: Math.ceil(JSON.stringify(messages).length / 4),
        output: Math.min(tokens, maxReplyTokens),
      };
      const title = (long ? "x" : "").repeat(1_800) + tokens;
      return { ...says("read_note", { title }), usage, costUsd: costOf(usage) };
    };
  };
  const model = new FakeModel(replies.map(answer), ["text"], 8_000);
  const fast = new FakeModel(replies.map(answer), ["text"], 8_000);
  for (const one of [model, fast]) one.costOf = costOf;
  const { run, end } = await rehearse({
    answers: [],
    model,
    thinking: { contextBudget: new ContextBudget({ getFastModel: () => fast }) },
    start: { limits: { ...NO_LIMITS, steps: 14, usd: budgetUsd, tokens: budgetTokens } },
  });
  const { totals } = run.state;
  const reply = Math.max(...replies);
  return {
    end,
    over: {
      usd: totals.usd - budgetUsd - (reply * output) / 1_000_000,
      tokens: budgetTokens === 0 ? 0 : totals.input + totals.output - budgetTokens - reply,
    },
  };
}

describe("any run with a budget", () => {
  it("spends no more than its budget and one reply, over 1,000 of them", async () => {
    await fc.assert(
      fc.asyncProperty(prices, async (random) => {
        const { over } = await bill(random);
        assert.deepEqual([over.usd <= 1e-9, over.tokens <= 0], [true, true]);
      }),
      { numRuns: 1_000 },
    );
  });
});
