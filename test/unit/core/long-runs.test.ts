import assert from "node:assert/strict";
import { Room } from "../../../src/core/room.ts";
import { requestTokens } from "../../../src/core/tokens.ts";
import { type Answer, FakeModel, says } from "../../support/fake-model.ts";
import { ofType, rehearse } from "../../support/rehearsal.ts";

const STEPS = 1_000;

/** A run of many steps, each with about this many characters, in a window of this size. */
async function longRun(window: number, chars: number) {
  const answers = Array.from({ length: STEPS }, (_, step): Answer => {
    const title = `${step} ${"some words about it ".repeat(chars / 20)}`;
    return async (request) => ({
      ...says("write_note", { title }, `Step ${step}.`),
      usage: { input: requestTokens(request), output: 100 },
    });
  });
  const model = new FakeModel([...answers, says("task_complete", { title: "Done." })], ["text"], window);
  const summary = { text: "I wrote many notes.", usage: { input: 900, output: 20 } };
  const fast = new FakeModel([summary], ["text"], window);
  const { log, end } = await rehearse({
    answers: [],
    model,
    thinking: { room: new Room({ fast: () => fast }) },
  });
  const over = model.requests.filter(
    (request) => requestTokens(request) + (request.maxReplyTokens ?? 0) > window,
  );
  const growths = model.requests
    .map((request, index) => requestTokens(request) - tokensBefore(model, index))
    .filter((growth) => growth > 0);
  const text = (growths.reduce((sum, growth) => sum + growth, 0) / growths.length) * model.requests.length;
  const compactions = ofType(log.events, "compacted").length;
  return { end: end.reason, over: over.length, compactions, windows: text / window };
}

function tokensBefore({ requests }: FakeModel, index: number): number {
  const before = requests[index - 1];
  return before ? requestTokens(before) : 0;
}

describe("a run of 1,000 steps", () => {
  const cases = [
    { window: 4_000, chars: 400, most: 3 },
    { window: 16_000, chars: 1_500, most: 2 },
    { window: 128_000, chars: 6_000, most: 2 },
  ] as const;
  for (const { window, chars, most } of cases) {
    it(`never outgrows a window of ${window}, and compacts at most ${most} times for each window of new text`, async () => {
      const { end, over, compactions, windows } = await longRun(window, chars);
      assert.deepEqual(
        [end, over, compactions / windows <= most || compactions / windows],
        ["finished", 0, true],
      );
    }).timeout(30_000);
  }
});
