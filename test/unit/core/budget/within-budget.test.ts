import assert from "node:assert/strict";
import { NOTHING_SPENT } from "../../../../src/core/budget/budget.ts";
import { limitModelToBudget } from "../../../../src/core/budget/reserved-budget.ts";
import { ModelError } from "../../../../src/core/ports/model.ts";
import { FakeModel } from "../../../support/fake-model.ts";
import { NO_LIMITS } from "../../../support/sample-run.ts";

const REQUEST = { messages: [{ role: "user", content: "Hello." }] } as const;
const completing = { signal: new AbortController().signal };

/** The longest reply that a call may have under a limit of tokens, or what is said of a call that is not made. */
async function replyUnder(tokens: number, model = new FakeModel([{ text: "x" }])): Promise<number | string> {
  const purse = { totals: NOTHING_SPENT, limits: { ...NO_LIMITS, tokens } };
  try {
    await limitModelToBudget(model, () => purse).complete(REQUEST, completing);
    return model.requests[0]?.maxReplyTokens ?? 0;
  } catch (error) {
    return error instanceof ModelError ? error.message : String(error);
  }
}

describe("a command's call of a model", () => {
  it("has a reply that the budget leaves room for, and is not made where there is none", async () => {
    const [unlimited, some, none] = [await replyUnder(0), await replyUnder(3_000), await replyUnder(400)];
    assert.deepEqual(
      [unlimited, typeof some === "number" && some > 2_500 && some < 3_000, none],
      [8_000, true, "The budget of the run (tokens) leaves no room for this call."],
    );
  });

  it("has the reply that it wants before the run has a budget", async () => {
    const model = new FakeModel([{ text: "x" }]);
    await limitModelToBudget(model, () => undefined).complete({ ...REQUEST, maxReplyTokens: 700 }, completing);
    assert.equal(model.requests[0]?.maxReplyTokens, 700);
  });

  it("counts what calls beside it may still come to", async () => {
    const model = new FakeModel([{ text: "x" }]);
    const purse = { totals: NOTHING_SPENT, limits: { ...NO_LIMITS, tokens: 9_000 } };
    const small = limitModelToBudget(model, () => purse);
    const both = await Promise.allSettled([small.complete(REQUEST, completing), small.complete(REQUEST, completing)]);
    await small.complete(REQUEST, completing);
    assert.deepEqual(
      [both.map(({ status }) => status), model.requests.map(({ maxReplyTokens }) => (maxReplyTokens ?? 0) > 500)],
      [
        ["fulfilled", "fulfilled"],
        [true, true, true],
      ],
    );
    const [first = 0, second = 0, third = 0] = model.requests.map(({ maxReplyTokens }) => maxReplyTokens ?? 0);
    assert.deepEqual([first, second < 1_000, third], [8_000, true, 8_000]);
  });
});
