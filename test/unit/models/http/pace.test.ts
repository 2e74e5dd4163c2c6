import assert from "node:assert/strict";
import { Lessons } from "../../../../src/models/chat/lessons.ts";
import { Pace, type PaceClock } from "../../../../src/models/http/pace.ts";
import { openAiModel } from "../../../../src/models/providers/openai.ts";
import { HELLO, Listener } from "../../../support/completing.ts";
import { saying, serverForSuite } from "../../../support/fake-model-server.ts";

/** A clock whose waiting takes no time. */
class Clock implements PaceClock {
  now = 0;
  getNow(): number {
    return this.now;
  }
  async wait(ms: number): Promise<void> {
    this.now += ms;
  }
}

const { signal } = new AbortController();

/** Numbers from 0 up to 1, the same each time. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** When each turn came. */
async function takeTurns(pace: Pace, clock: Clock, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let at = 0; at < count; at++) {
    await pace.takeTurn(signal);
    times.push(clock.now);
  }
  return times;
}

describe("the pace of requests to a server", () => {
  const server = serverForSuite();

  it("is even, and begins with a wait for what others may have sent before", async () => {
    const clock = new Clock();
    const pace = new Pace(() => ({ requestsPerMinute: 60, tokensPerMinute: 0 }), clock);
    assert.deepEqual(await takeTurns(pace, clock, 4), [1_050, 2_100, 3_150, 4_200]);
  });

  it("holds no request back without a limit, or after a long silence", async () => {
    const clock = new Clock();
    const [free, slow] = [0, 2].map((requestsPerMinute) => {
      return new Pace(() => ({ requestsPerMinute, tokensPerMinute: 0 }), clock);
    });
    clock.now = 100_000;
    assert.deepEqual(
      { free: await takeTurns(free as Pace, clock, 2), slow: await takeTurns(slow as Pace, clock, 1) },
      { free: [100_000, 100_000], slow: [100_000] },
    );
  });

  it("keeps parts of a limit together below it, however runs begin, reply and end", async () => {
    const random = createRandom(7);
    const [slots, perMinute] = [20, 60];
    const times: number[] = [];
    for (let slot = 0; slot < slots; slot++) {
      const clock = new Clock();
      clock.now = random() * 30_000;
      for (let run = 0; run < 40; run++) {
        const pace = new Pace(() => ({ requestsPerMinute: perMinute / slots, tokensPerMinute: 0 }), clock);
        for (let request = 0; request <= random() * 4; request++) {
          await pace.takeTurn(signal);
          // It travels for a while, which differs by less than three seconds.
          times.push(clock.now + random() * 2_900);
          clock.now += random() * 5_000;
        }
        clock.now += random() * 1_000;
      }
    }
    const sorted = times.toSorted((one, other) => one - other);
    const most = Math.max(
      ...sorted.map((end, at) => sorted.slice(0, at + 1).filter((time) => time > end - 60_000).length),
    );
    assert.deepEqual({ isWithin: most <= perMinute, isUsed: most > perMinute * 0.8 }, { isWithin: true, isUsed: true });
  });

  it("lets the next request wait for the tokens of those before", async () => {
    const clock = new Clock();
    const pace = new Pace(() => ({ requestsPerMinute: 0, tokensPerMinute: 63_000 }), clock);
    await pace.takeTurn(signal);
    pace.spendTokens(5_000);
    pace.spendTokens(2_000);
    assert.deepEqual(await takeTurns(pace, clock, 2), [7_000, 7_000]);
  });

  it("ends a wait at once when the run is stopped", async () => {
    const stopping = new AbortController();
    const pace = new Pace(() => ({ requestsPerMinute: 1, tokensPerMinute: 0 }));
    const waiting = pace.takeTurn(stopping.signal);
    stopping.abort(new Error("Stopped."));
    await assert.rejects(waiting, { message: "Stopped." });
  });

  it("is kept by a model, which says that it waits", async () => {
    server().plan(saying("Hi."));
    const limits = { requestsPerMinute: 120, tokensPerMinute: 0 };
    const lessons = new Lessons(undefined, undefined, () => limits);
    const options = { baseUrl: server().baseUrl, apiKey: "", model: "fake", contextWindow: 8_000, timeoutSeconds: 0 };
    const listener = new Listener();
    const { text } = await openAiModel({ ...options, lessons }).complete(HELLO, listener);
    assert.deepEqual(
      { text, notices: listener.notices },
      {
        text: "Hi.",
        notices: [`The next request to ${server().baseUrl} waits for 1 second, to keep your limit per minute.`],
      },
    );
  });
});
