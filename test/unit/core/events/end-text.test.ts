import assert from "node:assert/strict";
import type { RunEnd } from "../../../../src/core/commands/outcome.ts";
import { describeRunEnd } from "../../../../src/core/events/end-text.ts";

const LIMITS = { steps: 10, replies: 20, tokens: 30_000, minutes: 40, usd: 5 };

describe("the end of a run", () => {
  const ends: readonly (readonly [RunEnd, text: string, first: string])[] = [
    [{ reason: "finished", summary: "All is done." }, "All is done.", "newRun"],
    [{ reason: "exhausted", limit: "usd" }, "$5.00", "raiseBudget"],
    [{ reason: "exhausted", limit: "tokens" }, "30", "raiseBudget"],
    [{ reason: "exhausted", limit: "replies" }, "20", "raiseBudget"],
    [{ reason: "exhausted", limit: "steps" }, "10", "raiseBudget"],
    [{ reason: "exhausted", limit: "minutes" }, "40", "raiseBudget"],
    [{ reason: "stuck", why: "It repeats itself." }, "It repeats itself.", "continue"],
    [{ reason: "failed", error: "The key is wrong." }, "The key is wrong.", "continue"],
    [{ reason: "crashed", error: "x is undefined" }, "x is undefined.", "continue"],
    [{ reason: "stopped" }, "", "continue"],
  ];
  for (const [end, text, first] of ends)
    it(`has a heading, a text and what helps: ${JSON.stringify(end)}`, () => {
      const described = describeRunEnd({ end, limits: LIMITS, mode: "ask" });
      assert.deepEqual(
        { hasHeading: described.heading !== "", hasText: described.text.includes(text), first: described.actions[0] },
        { hasHeading: true, hasText: true, first },
      );
    });
});
