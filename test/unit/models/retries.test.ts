import assert from "node:assert/strict";
import { type Completion, ModelError } from "../../../src/core/ports/model.ts";
import { Lessons } from "../../../src/models/chat/lessons.ts";
import { BusyError } from "../../../src/models/http/errors.ts";
import { openAiModel } from "../../../src/models/providers/openai.ts";
import { addRetries, RETRY_POLICY, type RetryPolicy } from "../../../src/models/retries.ts";
import { HELLO, Listener, plainModel } from "../../support/completing.ts";
import { FakeModel } from "../../support/fake-model.ts";
import {
  DONE,
  event,
  json,
  oneSlot,
  type Piece,
  refusal,
  type ServerAnswer,
  saying,
  serverForSuite,
  stream,
  textChunks,
} from "../../support/fake-model-server.ts";

/** A policy whose waiting takes no time, and what it would have waited. */
function hurried(random = 1): RetryPolicy & { readonly waits: number[] } {
  const waits: number[] = [];
  return {
    ...RETRY_POLICY,
    waits,
    getRandomNumber: () => random,
    wait: async (ms) => void waits.push(ms),
  };
}

const busy = (retryAfterMs?: number) => new BusyError("It is busy.", "Go on later.", retryAfterMs);

describe("a model with retries", () => {
  it("is asked again, and waits twice as long each time", async () => {
    const policy = hurried();
    const model = addRetries(new FakeModel([busy(), busy(), busy(), busy(), busy(), { text: "Hi." }]), policy);
    const { text } = await model.complete(HELLO, new Listener());
    assert.deepEqual({ text, waits: policy.waits }, { text: "Hi.", waits: [1_000, 2_000, 4_000, 8_000, 16_000] });
  });

  it("scatters its waiting", async () => {
    const policy = hurried(0);
    await addRetries(new FakeModel([busy(), { text: "Hi." }]), policy).complete(HELLO, new Listener());
    assert.deepEqual(policy.waits, [500]);
  });

  it("waits as long as the server asks, and says so", async () => {
    const policy = hurried(0);
    const listener = new Listener();
    const model = addRetries(new FakeModel([busy(1_500), busy(90_000), busy(3_000_000), { text: "Hi." }]), policy);
    await model.complete(HELLO, listener);
    assert.deepEqual(
      { waits: policy.waits, notices: listener.notices },
      {
        waits: [1_500, 90_000, 3_000_000],
        notices: [
          "It is busy. Trying again in 2 seconds (attempt 2 of 20).",
          "It is busy. Trying again in 90 seconds (attempt 3 of 20).",
          "It is busy. Trying again in 50 minutes (attempt 4 of 20).",
        ],
      },
    );
  });

  it("waits longer each time where the server asks for too little, and not forever", async () => {
    const policy = hurried(0);
    const fake = new FakeModel([busy(1_000)]);
    await assert.rejects(addRetries(fake, policy).complete(HELLO, new Listener()), {
      message: "It is busy. It was tried 20 times. Go on later.",
    });
    assert.deepEqual(
      [fake.requests.length, policy.waits.slice(0, 4), policy.waits.at(-1)],
      [20, [1_000, 1_000, 2_000, 4_000], 15_000],
    );
  });

  it("never waits for hours, nor longer than it may, but says when it can continue", async () => {
    const asked = async (waitMs: number, patienceMs?: number) => {
      const fake = new FakeModel([busy(waitMs)]);
      const policy = hurried(0);
      const completing = { signal: new AbortController().signal, patienceMs };
      const error = await addRetries(fake, policy)
        .complete(HELLO, completing)
        .catch((thrown: unknown) => thrown);
      const { message, waitMs: waited } = error instanceof ModelError ? error : new ModelError("other", "");
      return [policy.waits, message.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, "then"), waited];
    };
    assert.deepEqual(
      [await asked(25_920_000), await asked(40_000, 100_000)],
      [
        [
          [],
          "It is busy. It can be asked again in 7 hours 12 minutes, at then. Continue the run then, or choose another model.",
          25_920_000,
        ],
        [
          [40_000, 40_000],
          "It is busy. It can be asked again in 40 seconds, at then. Continue the run then, or choose another model.",
          120_000,
        ],
      ],
    );
  });
});

describe("retries", () => {
  it("end at last", async () => {
    const fake = new FakeModel([busy()]);
    await assert.rejects(addRetries(fake, hurried()).complete(HELLO, new Listener()), {
      trouble: "busy",
      message: "It is busy. It was tried 6 times. Go on later.",
    });
    assert.equal(fake.requests.length, 6);
  });

  for (const trouble of ["setup", "format", "context", "other"] as const) {
    it(`are not for trouble of the kind "${trouble}"`, async () => {
      const fake = new FakeModel([new ModelError(trouble, "No.")]);
      await assert.rejects(addRetries(fake, hurried()).complete(HELLO, new Listener()), {
        trouble,
        message: "No.",
      });
      assert.equal(fake.requests.length, 1);
    });
  }

  it("can be stopped while they wait", async () => {
    const stop = new AbortController();
    const model = addRetries(new FakeModel([busy(3_600_000)]));
    const completing = model.complete(HELLO, {
      signal: stop.signal,
      notice: () => stop.abort(new Error("Enough.")),
    });
    await assert.rejects(completing, { message: "Enough." });
  });
});

/** What a server answers first, and whether it is asked again. */
const ANSWERS: readonly [string, ServerAnswer, asked: number][] = [
  ["408", refusal(408, "Timeout"), 2],
  ["409", refusal(409, "Conflict"), 2],
  ["429", refusal(429, "Rate limit"), 2],
  ["500", refusal(500, "Oops"), 2],
  ["529", refusal(529, "Overloaded"), 2],
  ["a cut connection", stream(...textChunks("Hi"), "cut!"), 2],
  ["an empty answer, which is asked for once more as a whole,", stream(), 3],
  ["400", refusal(400, "Bad"), 1],
  ["401", refusal(401, "Bad key"), 1],
  ["403", refusal(403, "Forbidden"), 1],
  ["404", refusal(404, "Not found"), 1],
  ["an empty account", refusal(429, "You exceeded your current quota", { code: "insufficient_quota" }), 1],
];

describe("an answer over real HTTP", () => {
  const server = serverForSuite();

  for (const [name, answer, asked] of ANSWERS) {
    it(`${name} is ${asked > 1 ? "tried again" : "final"}`, async () => {
      const before = server().requests.length;
      server().plan(answer, saying("Hi."));
      await addRetries(plainModel(server().baseUrl), hurried())
        .complete(HELLO, new Listener())
        .catch(() => undefined);
      assert.equal(server().requests.length - before, asked);
    });
  }
});

describe("retries over real HTTP", () => {
  const server = serverForSuite();

  it("receive a Retry-After through the client, in any form", async () => {
    const policy = hurried(0);
    const asking = (headers: Record<string, string>): ServerAnswer => ({
      ...refusal(429, "Slow down"),
      headers,
    });
    server().plan(
      asking({ "retry-after": "120" }),
      asking({ "retry-after-ms": "2500" }),
      asking({ date: "Fri, 20 Nov 2026 10:00:00 GMT", "retry-after": "Fri, 20 Nov 2026 10:05:00 GMT" }),
      saying("Hi."),
    );
    await addRetries(plainModel(server().baseUrl), policy).complete(HELLO, new Listener());
    assert.deepEqual(policy.waits, [120_000, 2_500, 300_000]);
  });

  it("a wait is read from the body as well, and isn't one of the few tries", async () => {
    const policy = hurried(0);
    const said = refusal(429, "Rate limit reached. Please try again in 31.6s.");
    const google = json(429, { error: { code: 429, details: [{ retryDelay: "34s" }] } });
    const reset = { ...refusal(429, "Too many."), headers: { "x-ratelimit-reset-tokens": "1m12s" } };
    const busyPart = event({ error: { message: "Overloaded. Retry after 45 seconds.", code: 529 } });
    server().plan(said, said, said, said, google, reset, stream(busyPart), saying("Hi."));
    const { text } = await addRetries(plainModel(server().baseUrl), policy).complete(HELLO, new Listener());
    assert.deepEqual([text, policy.waits], ["Hi.", [31_600, 31_600, 31_600, 31_600, 34_000, 72_000, 45_000]]);
  });

  it("a reply that was cut off starts again, and its streamed part is declared void", async () => {
    const listener = new Listener();
    server().plan(stream(...textChunks("Broken"), "cut!"), saying("Whole."));
    const { text }: Completion = await addRetries(plainModel(server().baseUrl), hurried()).complete(HELLO, listener);
    assert.deepEqual(
      {
        text,
        streamed: listener.text,
        restarts: listener.restarts,
        told: /lost.*Trying again in 1 second/.test(listener.notices[0] ?? ""),
      },
      { text: "Whole.", streamed: "BrokenWhole.", restarts: 1, told: true },
    );
  });
});

describe("a server that breaks off a reply for the next request", () => {
  const server = serverForSuite();

  const BROKEN_OFF: readonly (readonly [string, readonly Piece[]])[] = [
    ["as llama-cpp-python does", [DONE, "cut!"]],
    ["without a reason for its end", [DONE]],
  ];
  for (const [name, brokenOff] of BROKEN_OFF)
    it(`${name} is sent one request at a time from then on, and all replies come whole`, async () => {
      server().plan(oneSlot(brokenOff));
      const lessons = new Lessons();
      const models = ["smart", "fast"].map((model) =>
        openAiModel({
          ...{ model, lessons, baseUrl: server().baseUrl },
          ...{ apiKey: "", contextWindow: 8_000, timeoutSeconds: 60 },
        }),
      );
      const askTogether = () =>
        Promise.all(
          [...models, ...models].map(
            async (model) => (await addRetries(model, hurried()).complete(HELLO, new Listener())).text,
          ),
        );
      const first = await askTogether();
      const before = server().requests.length;
      const second = await askTogether();
      assert.deepEqual(
        { first, second, requestsThen: server().requests.length - before },
        { first: Array(4).fill("One slot."), second: Array(4).fill("One slot."), requestsThen: 4 },
      );
    });

  it("lets go of a request that is stopped while it waits for its turn", async () => {
    server().plan(oneSlot([DONE]));
    const model = plainModel(server().baseUrl);
    const ask = (listener = new Listener()) => addRetries(model, hurried()).complete(HELLO, listener);
    await Promise.all([ask(), ask()]);
    const before = server().requests.length;
    const stop = new AbortController();
    const going = ask();
    const waiting = ask(new Listener(stop.signal));
    stop.abort(new Error("Stopped."));
    const why = await waiting.catch((error: Error) => error.message);
    assert.deepEqual(
      { why, text: (await going).text, requests: server().requests.length - before },
      { why: "Stopped.", text: "One slot.", requests: 1 },
    );
  });
});
