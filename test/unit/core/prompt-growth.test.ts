import assert from "node:assert/strict";
import fc from "fast-check";
import { Run } from "../../../src/core/events/run.ts";
import type { ModelRequest } from "../../../src/core/ports/model.ts";
import { buildPrompt, rebuildStepPrompt } from "../../../src/core/prompt/prompt.ts";
import type { AgentEvent } from "../../../src/schema/events.ts";
import { MemoryLog } from "../../support/memory-log.ts";
import { play, randomRuns } from "../../support/random-run.ts";
import { ofType } from "../../support/rehearsal.ts";

/** Head and history of a prompt, message by message. */
const beforeTail = ({ messages }: ModelRequest): string[] =>
  messages.slice(0, -1).map((message) => JSON.stringify(message));

/** How many times the history was compacted before each prompt was sent. */
function compactions(events: readonly AgentEvent[]): number[] {
  let count = 0;
  const counts: number[] = [];
  for (const { type } of events) {
    if (type === "compacted") count++;
    if (type === "asked") counts.push(count);
  }
  return counts;
}

describe("the prompts of any run", () => {
  it("each begin with all of the one before but its tail, unless the history was compacted between", async () => {
    await fc.assert(
      fc.asyncProperty(randomRuns([4_000, 32_000]), async (random) => {
        const { model, log } = await play(random);
        const compacted = compactions(log.events);
        for (const [index, request] of model.requests.entries()) {
          const next = model.requests[index + 1];
          if (!next || compacted[index] !== compacted[index + 1]) continue;
          const before = beforeTail(request);
          assert.deepEqual(beforeTail(next).slice(0, before.length), before);
        }
      }),
      { numRuns: 100 },
    );
  });

  it("can be rebuilt from the stored events before them, byte for byte", async () => {
    await fc.assert(
      fc.asyncProperty(randomRuns([4_000, 32_000]), async (random) => {
        const { model, log } = await play(random);
        const stored: AgentEvent[] = JSON.parse(JSON.stringify(log.events));
        const rebuilt = ofType(stored, "asked").map((asked) => {
          const run = Run.openStored(new MemoryLog(), stored.slice(0, asked.seq + 1));
          return { ...buildPrompt(run.head, run.history, asked), cached: undefined };
        });
        const sent = model.requests.map(({ maxReplyTokens: _, ...request }) => ({
          ...request,
          cached: undefined,
        }));
        assert.equal(JSON.stringify(rebuilt), JSON.stringify(sent));
      }),
      { numRuns: 60 },
    );
  });

  it("fit the window, whatever was said", async () => {
    await fc.assert(
      fc.asyncProperty(randomRuns([6_000]), async (random) => {
        const { model } = await play(random);
        const tooLong = model.requests.filter(({ messages }) => JSON.stringify(messages).length / 3.6 > 6_500);
        assert.deepEqual(tooLong.length, 0);
      }),
      { numRuns: 40 },
    );
  });

  it("can be shown for a step, as they were last sent", async () => {
    await fc.assert(
      fc.asyncProperty(randomRuns([32_000]), async (random) => {
        const { model, log } = await play(random);
        const asked = ofType(log.events, "asked");
        const last = asked.at(-1)?.step ?? 0;
        assert.deepEqual(
          [
            rebuildStepPrompt(log.events, last)?.messages,
            rebuildStepPrompt(log.events, last + 1),
            rebuildStepPrompt(log.events.slice(1), 1),
          ],
          [model.requests[asked.length - 1]?.messages, undefined, undefined],
        );
      }),
      { numRuns: 40 },
    );
  });
});
