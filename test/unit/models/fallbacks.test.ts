import assert from "node:assert/strict";
import { type Completion, type Model, ModelError, ModelReplaced } from "../../../src/core/ports/model.ts";
import { addFallbacks } from "../../../src/models/fallbacks.ts";
import { HELLO, Listener, reply, trouble } from "../../support/completing.ts";
import { type Answer, FakeModel } from "../../support/fake-model.ts";

const BUSY = new ModelError("busy", "Too busy.");
const NO_CREDIT = new ModelError("setup", "No credit.");
const FILTERED = new ModelError("other", "Withheld.");
const MINUTES = 60_000;

function named(name: string, answers: readonly Answer[], window?: number): FakeModel {
  return Object.assign(new FakeModel(answers, ["text"], window), { name });
}

/** A first model with others behind it, and a clock of its own. */
function chain(first: Model, ...others: readonly FakeModel[]) {
  const clock = { now: 0 };
  const model = addFallbacks(first, {
    listFallbacks: () => others.map((other) => ({ name: other.name, make: async () => other })),
    choose: "--model",
    getTime: () => clock.now,
  });
  return { model, clock };
}

const hello = (from: string): Partial<Completion> => ({ text: `Hello from ${from}.` });

describe("a model that others can take the place of", () => {
  for (const [what, error, answer] of [
    ["is too busy after all retries", BUSY, "Hello from b."],
    ["has no credit left", NO_CREDIT, "Hello from b."],
    ["is withheld by a filter", FILTERED, "Hello from b."],
    ["refuses to reply", { finish: "content_filter" }, "Hello from b."],
    ["refuses a reply format", new ModelError("format", "No tools."), "No tools."],
    ["has a prompt that is too long", new ModelError("context", "Too long."), "Too long."],
    ["has an unexplained error", new ModelError("other", "Hm.", { isUnexplained: true }), "Hm."],
  ] as const)
    it(`${answer.startsWith("Hello") ? "is" : "isn't"} replaced when it ${what}`, async () => {
      const { model } = chain(named("a", [error]), named("b", [hello("b")]));
      const said = await reply(model).catch((thrown: unknown) => ({
        text: String((thrown as Error).message),
      }));
      assert.equal(said.text, answer);
    });

  it("is asked again after ten minutes, and each request is answered once", async () => {
    const [a, b] = [named("a", [BUSY, hello("a")]), named("b", [hello("b")])];
    const { model, clock } = chain(a, b);
    const listener = new Listener();
    const names: string[] = [];
    for (const minutes of [0, 5, 9, 10, 11]) {
      clock.now = minutes * MINUTES;
      names.push(`${minutes}: ${(await model.complete(HELLO, listener)).text} ${model.name}`);
    }
    assert.deepEqual(
      { names, asked: [a.requests.length, b.requests.length], notices: listener.notices },
      {
        names: [
          "0: Hello from b. b",
          "5: Hello from b. b",
          "9: Hello from b. b",
          "10: Hello from a. a",
          "11: Hello from a. a",
        ],
        asked: [3, 3],
        notices: ["b takes over for now. Too busy.", "a is asked again, as the usual model."],
      },
    );
  });

  it("rests as long as its server asks for", async () => {
    const busy = new ModelError("busy", "Come back.", { waitMs: 120 * MINUTES });
    const { model, clock } = chain(named("a", [busy, hello("a")]), named("b", [hello("b")]));
    const at = async (minutes: number) => {
      clock.now = minutes * MINUTES;
      return (await reply(model)).text;
    };
    assert.deepEqual([await at(0), await at(119), await at(121)], ["Hello from b.", "Hello from b.", "Hello from a."]);
  });

  it("says of all of them why none answers, and then asks all of them again", async () => {
    const [a, b, c] = [named("a", [BUSY, hello("a")]), named("b", [NO_CREDIT]), named("c", [FILTERED])];
    const { model } = chain(a, b, c);
    const all = await trouble(model);
    const again = (await reply(model)).text;
    assert.deepEqual(
      { all, again, asked: [a, b, c].map(({ requests }) => requests.length) },
      {
        all: {
          trouble: "busy",
          message:
            "None of the 3 models can answer now.\na: Too busy.\nb: No credit.\nc: Withheld.\nChoose a model with --model.",
        },
        again: "Hello from a.",
        asked: [2, 1, 1],
      },
    );
  });

  it("is made again for a prompt of its own where the caller can make it", async () => {
    const { model } = chain(named("a", [BUSY]), named("b", [hello("b")], 4_000));
    const listener = Object.assign(new Listener(), { replans: true as const });
    const thrown = await model.complete(HELLO, listener).catch((error: unknown) => error);
    const { text } = await model.complete(HELLO, listener);
    assert.deepEqual(
      [thrown instanceof ModelReplaced && thrown.message, model.contextWindow, text, listener.notices],
      ["b takes over for now. Too busy.", 4_000, "Hello from b.", []],
    );
  });

  it("is not replaced by one whose window is too small for a prompt that can't be made again", async () => {
    const [b, c] = [named("b", [hello("b")], 100), named("c", [hello("c")])];
    const { model } = chain(named("a", [BUSY]), b, c);
    const long = { messages: [{ role: "user", content: "word ".repeat(500) }] } as const;
    assert.deepEqual([(await reply(model, long)).text, b.requests.length], ["Hello from c.", 0]);
  });

  it("has what it said before it broke off declared void, and its paid refusal counted", async () => {
    const refusing: Answer = async (_request, { delta }) => {
      delta?.({ kind: "text", text: "I" });
      return { finish: "content_filter", costUsd: 0.5 };
    };
    const { model } = chain(named("a", [refusing]), named("b", [{ ...hello("b"), costUsd: 0.25 }]));
    const listener = new Listener();
    const { costUsd } = await model.complete(HELLO, listener);
    assert.deepEqual([listener.restarts, costUsd], [1, 0.75]);
  });

  it("keeps its own trouble where no other model is named", async () => {
    const { model } = chain(named("a", [BUSY]));
    assert.deepEqual(await trouble(model), { trouble: "busy", message: "Too busy." });
  });

  it("gives way to the next where one can't be made", async () => {
    const first = named("a", [BUSY]);
    const model = addFallbacks(first, {
      listFallbacks: () => [
        { name: "b", make: () => Promise.reject(NO_CREDIT) },
        { name: "c", make: async () => named("c", [hello("c")]) },
      ],
      choose: "--model",
    });
    assert.equal((await reply(model)).text, "Hello from c.");
  });
});
