import assert from "node:assert/strict";
import fc from "fast-check";
import {
  computeSharedLimits,
  countTokensForLimit,
  countUsageForLimit,
  type Limits,
  NOTHING_SPENT,
} from "../../../../src/core/budget/budget.ts";
import { NOTHING_RESERVED } from "../../../../src/core/budget/reserved-budget.ts";
import { Run } from "../../../../src/core/events/run.ts";
import type { Usage } from "../../../../src/core/ports/model.ts";
import { BudgetPool } from "../../../../src/runtime/subagents/budget-pool.ts";
import { type Answer, says } from "../../../support/fake-model.ts";
import { familyRehearsal } from "../../../support/family-rehearsal.ts";
import { MemoryLog } from "../../../support/memory-log.ts";
import { ofType } from "../../../support/rehearsal.ts";
import { NO_LIMITS, sampleStart } from "../../../support/sample-run.ts";

const random = fc.record({
  /** US dollars per million tokens. */
  input: fc.integer({ min: 1, max: 100 }),
  output: fc.integer({ min: 1, max: 400 }),
  budgetUsd: fc.double({ min: 0.01, max: 3, noNaN: true }),
  budgetTokens: fc.oneof(fc.constant(0), fc.integer({ min: 3_000, max: 120_000 })),
  /** The share of each prompt that the server still has. */
  cached: fc.double({ min: 0, max: 1, noNaN: true }),
  /** How long replies want to be. */
  replies: fc.array(fc.integer({ min: 10, max: 3_000 }), { minLength: 1, maxLength: 6 }),
  agents: fc.array(
    fc.record({ percent: fc.integer({ min: 1, max: 90 }), background: fc.boolean(), steps: fc.nat(5) }),
    { minLength: 1, maxLength: 5 },
  ),
});

type Random = typeof random extends fc.Arbitrary<infer T> ? T : never;

/** Plays a run whose agents all spend as much as they are let, and gives what it came to. */
async function bill({ input, output, cached, budgetUsd, budgetTokens, replies, agents }: Random) {
  const costOf = (usage: Usage): number => (usage.input * input + usage.output * output) / 1_000_000;
  const billed = (what: ReturnType<typeof says>, index: number): Answer => {
    return async ({ messages, maxReplyTokens = Number.POSITIVE_INFINITY }) => {
      await new Promise((resolve) => setImmediate(resolve));
      const wanted = replies[index % replies.length] ?? 0;
      const prompt = Math.ceil(JSON.stringify(messages).length / 4);
      const usage = {
        ...{ input: prompt, output: Math.min(wanted, maxReplyTokens) },
        ...{ cached: Math.floor(cached * prompt), cachedRatio: 0.5 },
      };
      return { ...what, usage, costUsd: costOf(usage) };
    };
  };
  const reads = (count: number) =>
    Array.from({ length: count }, (_, index) => says("read_note", { title: `${index}` }));
  const starts = agents.flatMap(({ percent, background }, index) => [
    says("start_agent", {
      ...{ name: `A${index}`, task: "t", commands: ["read_note"], budget_percent: percent, background },
    }),
    ...(index >= 2 ? [says("delete_agent", { agent: index - 1 })] : []),
  ]);
  const finish = says("task_complete", { reason: "Done." });
  const family = await familyRehearsal({
    parent: [...starts, ...reads(3), says("message_agent", { agent: agents.length }), finish].map(billed),
    agents: Object.fromEntries(agents.map(({ steps }, index) => [`A${index}`, [...reads(steps), finish].map(billed)])),
    start: { limits: { ...NO_LIMITS, steps: 60, usd: budgetUsd, tokens: budgetTokens } },
    costOf,
  });
  family.live.resume();
  await family.live.end;
  await family.family.close();
  const logs = [family.log, ...family.spawned.map(({ log }) => log)];
  const paid = logs
    .flatMap(({ events }) => ofType(events, "replied"))
    .map(({ usage, costUsd = 0 }) => ({
      usd: costUsd,
      tokens: (usage?.input ?? 0) + (usage?.output ?? 0),
      counted: countUsageForLimit(usage),
    }));
  const sum = (of: (one: (typeof paid)[number]) => number): number => paid.reduce((all, one) => all + of(one), 0);
  return {
    totals: family.live.run.state.totals,
    usd: sum(({ usd }) => usd),
    tokens: sum(({ tokens }) => tokens),
    counted: sum(({ counted }) => counted),
  };
}

describe("a run and all its agents", () => {
  it("spend no more than the run's budget and one reply, all of it reported in the run's own events", async () => {
    await fc.assert(
      fc.asyncProperty(random, async (run) => {
        const { totals, usd, tokens, counted } = await bill(run);
        const reply = Math.max(...run.replies);
        assert.deepEqual(
          {
            usdTold: Math.abs(totals.usd - usd) < 1e-9,
            tokensTold: totals.input + totals.output === tokens,
            countedTold: Math.abs(countTokensForLimit(totals) - counted) < 1e-6,
            usdKept: usd <= run.budgetUsd + (reply * run.output) / 1_000_000 + 1e-9,
            tokensKept: run.budgetTokens === 0 || counted <= run.budgetTokens + reply,
          },
          { usdTold: true, tokensTold: true, countedTold: true, usdKept: true, tokensKept: true },
        );
      }),
      { numRuns: 300 },
    );
  }).timeout(120_000);
});

describe("a share of a budget", () => {
  const spent = {
    ...NOTHING_SPENT,
    steps: 25,
    missed: 5,
    replies: 30,
    input: 500,
    usd: 1,
    activeMs: 600_000,
  };
  const cases = [
    [
      "is so much of what is left, and all of the time",
      { steps: 100, replies: 70, tokens: 1_500, minutes: 60, usd: 2 },
      { steps: 20, replies: 10, tokens: 250, minutes: 50, usd: 0.25 },
    ],
    ["has no limit where the budget has none", NO_LIMITS, NO_LIMITS],
    [
      "is never no limit for want of anything left",
      { steps: 20, replies: 30, tokens: 500, minutes: 10, usd: 1 },
      { steps: 1, replies: 1, tokens: 1, minutes: 1e-9, usd: 1e-9 },
    ],
  ] as const;
  for (const [name, limits, expected] of cases)
    it(name, () => assert.deepEqual(computeSharedLimits(spent, limits, 0.25), expected));
});

describe("the budget that a run and its agents share", () => {
  /** A run with limits, and what it has spent. */
  const runWith = async (limits: Partial<Limits>, spent: { usd?: number; input?: number } = {}) => {
    const run = await Run.start(new MemoryLog(), sampleStart({ limits: { ...NO_LIMITS, ...limits } }));
    const { usd = 0, input = 0 } = spent;
    const usage = { input, output: 0 };
    await run.record({ type: "spent", on: "draft", model: "m", usage, costUsd: usd });
    return run;
  };
  const poolOf = async (limits: Partial<Limits>, spent = {}) => {
    const owner = await runWith(limits, spent);
    const pool = new BudgetPool();
    pool.follow(owner);
    return { owner, pool };
  };

  it("is nothing before the run has begun", async () => {
    const pool = new BudgetPool();
    const run = await runWith({ usd: 1 });
    assert.deepEqual(
      { share: pool.share(0.5), missing: pool.computeMissingBudget(run) },
      { share: "steps", missing: NOTHING_RESERVED },
    );
  });

  it("has the shares of working agents reserved", async () => {
    const { pool } = await poolOf({ usd: 10, tokens: 1_000 }, { usd: 1 });
    const [working, idle] = [await runWith({ usd: 4, tokens: 300 }), await runWith({ usd: 2 })];
    pool.join({ run: working, isWorking: true }, "A");
    pool.join({ run: idle, isWorking: false }, "B");
    const share = pool.share(0.5);
    assert.deepEqual(
      {
        reserved: pool.getReservedBudget(),
        share: typeof share === "string" ? share : { usd: share.usd, tokens: share.tokens },
      },
      { reserved: { usd: 4, tokens: 300 }, share: { usd: 2.5, tokens: 350 } },
    );
  });

  it("says what of an agent's share it no longer covers", async () => {
    const { pool } = await poolOf({ usd: 5, tokens: 500 }, { usd: 1, input: 100 });
    const first = { run: await runWith({ usd: 3, tokens: 300 }), isWorking: true };
    const second = { run: await runWith({ usd: 3, tokens: 300 }), isWorking: true };
    const alone = pool.computeMissingBudget(first.run);
    pool.join(first, "A");
    pool.join(second, "B");
    const beside = pool.computeMissingBudget(first.run);
    pool.leave(second);
    const again = pool.computeMissingBudget(first.run);
    const unlimited = pool.computeMissingBudget(await runWith({}));
    assert.deepEqual(
      { alone, beside, again, unlimited },
      {
        alone: NOTHING_RESERVED,
        beside: { usd: 2, tokens: 200 },
        again: NOTHING_RESERVED,
        unlimited: NOTHING_RESERVED,
      },
    );
  });

  it("books what agents spend on the run, once, and nothing that cost nothing", async () => {
    const { owner, pool } = await poolOf({ usd: 10 });
    const run = await runWith({ usd: 5 });
    pool.join({ run, isWorking: false }, "A");
    const usage = { input: 10, output: 5 };
    await run.record({ type: "spent", on: "criticism", model: "m", usage, costUsd: 0.5 });
    await run.record({ type: "said", text: "hi", by: "user" });
    await run.record({ type: "compacted", through: 1, summary: "s" });
    await pool.waitForBookings();
    assert.deepEqual(
      { usd: owner.state.totals.usd, input: owner.state.totals.input, reserved: pool.getReservedBudget() },
      { usd: 0.5, input: 10, reserved: NOTHING_RESERVED },
    );
  });

  it("counts agents' steps against further agents, also of agents that are gone", async () => {
    const { pool } = await poolOf({ steps: 10 });
    const run = await runWith({});
    const spender = {
      run: {
        ...run,
        state: { ...run.state, totals: { ...NOTHING_SPENT, steps: 6 } },
        onEvent: run.onEvent.bind(run),
      } as unknown as Run,
      isWorking: false,
    };
    pool.join(spender, "A");
    const stepsLeft = () => {
      const share = pool.share(1);
      return typeof share === "string" ? share : share.steps;
    };
    const during = stepsLeft();
    pool.leave(spender);
    pool.leave(spender);
    assert.deepEqual({ during, after: stepsLeft() }, { during: 4, after: 4 });
  });
});
