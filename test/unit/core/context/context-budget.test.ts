import assert from "node:assert/strict";
import { ContextBudget, type PlannedPrompt } from "../../../../src/core/context/context-budget.ts";
import { Run, type StartedBody } from "../../../../src/core/events/run.ts";
import { ModelError, type ModelRequest } from "../../../../src/core/ports/model.ts";
import { rebuildStepPrompt } from "../../../../src/core/prompt/prompt.ts";
import { NO_THOUGHTS } from "../../../../src/core/reply/reply.ts";
import { type Answer, FakeModel, says } from "../../../support/fake-model.ts";
import { MemoryLog } from "../../../support/memory-log.ts";
import { deciding, ofType, type Rehearsing, rehearsal, rehearse } from "../../../support/rehearsal.ts";
import { NO_LIMITS, sampleStart, sampleTail } from "../../../support/sample-run.ts";

const FINISH = says("task_complete", { title: "Done." });
const long = (title: string) => ({ ...says("read_note", { title: title.repeat(1_500) }) });
const SUMMARY = { text: "I read the notes a to c.", usage: { input: 900, output: 20 }, costUsd: 0.01 };

/** A run in a small window, whose fast model answers so. */
async function inSmallWindow(fastAnswers: readonly Answer[], more: Partial<Rehearsing> = {}) {
  const fast = new FakeModel(fastAnswers, ["text"], 12_000);
  const answers = [..."abcdefghijkl"].map(long);
  const model = new FakeModel([...answers, FINISH], ["text"], 6_000);
  const room = new ContextBudget({ getFastModel: () => fast });
  const done = await rehearse({ answers: [], model, thinking: { contextBudget: room }, ...more });
  return { ...done, fast, compacted: ofType(done.log.events, "compacted") };
}

describe("a running summary", () => {
  it("takes the place of the oldest steps, written by the fast model, with its cost", async () => {
    const { compacted, run, model, log } = await inSmallWindow([SUMMARY]);
    const [first] = compacted;
    assert.deepEqual(
      {
        first: [first?.summary, first?.model, first?.usage, first?.costUsd],
        told: model.requests.at(-1)?.messages[2]?.content.includes("I read the notes a to c."),
        paid: run.state.totals.usd.toFixed(3),
      },
      {
        first: ["I read the notes a to c.", "fake", { input: 900, output: 20 }, 0.01],
        told: true,
        paid: (0.013 + 0.01 * (compacted.length + ofType(log.events, "spent").length)).toFixed(3),
      },
    );
  });

  it("is made from the one before and the steps since", async () => {
    const { fast } = await inSmallWindow([SUMMARY]);
    const second = fast.requests[1]?.messages[1]?.content ?? "";
    assert.match(second, /the record so far.*I read the notes a to c\..*steps up to/s);
  });

  it("is started while the model thinks, so that no one waits for it", async () => {
    const order: string[] = [];
    const fast = new FakeModel(
      [
        async () => {
          order.push("summary");
          return SUMMARY;
        },
      ],
      ["text"],
      12_000,
    );
    const answers: Answer[] = [..."abcdefgh"].map((letter) => async () => {
      order.push(letter);
      return long(letter);
    });
    const model = new FakeModel([...answers, FINISH], ["text"], 6_000);
    const { log } = await rehearse({
      answers: [],
      model,
      thinking: { contextBudget: new ContextBudget({ getFastModel: () => fast }) },
    });
    const first = ofType(log.events, "compacted")[0];
    const asked = ofType(log.events, "asked").find(({ seq }) => seq > (first?.seq ?? 0));
    assert.equal(order.indexOf("summary") < (asked?.step ?? 0) - 1, true);
  });

  it("doesn't keep a user who stops the run waiting", async () => {
    const { log, compacted } = await inSmallWindow([SUMMARY]);
    const after = compacted[0]?.seq ?? 0;
    const needed = ofType(log.events, "asked").find(({ seq }) => seq > after)?.step ?? 0;
    const never: Answer = (_request, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    const fast = new FakeModel([never], ["text"], 12_000);
    const model = new FakeModel([..."abcdefghijkl"].map(long), ["text"], 6_000);
    const { live, run } = await rehearsal({
      answers: [],
      model,
      thinking: { contextBudget: new ContextBudget({ getFastModel: () => fast }) },
    });
    const waits = new Promise<void>((resolve) =>
      run.onEvent((event) => event.type === "ended" && event.step === needed - 1 && resolve()),
    );
    live.resume();
    await waits;
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    await live.stop();
    assert.equal((await live.end).reason, "stopped");
  });

  for (const [how, answer] of [
    ["fails", new ModelError("busy", "Later.")],
    ["says nothing", { text: " ", usage: { input: 9, output: 0 }, costUsd: 0.01 }],
    ["breaks off", { ...SUMMARY, finish: "length" }],
  ] as const) {
    it(`is a line a step when the fast model ${how}, and the call is paid all the same`, async () => {
      const { compacted, end, log } = await inSmallWindow([answer]);
      const paid = ofType(log.events, "spent").filter(({ on }) => on === "summary");
      assert.deepEqual(
        [end.reason, compacted[0]?.model, /^\d+\. read_note/m.test(compacted[0]?.summary ?? ""), paid.length > 0],
        ["finished", undefined, true, how !== "fails"],
      );
    });
  }

  it("never leaves out what the user said or what failed and was not fixed", async () => {
    const answers: Answer[] = [says("break_note", { title: "x" }), ...[..."abcdefghijklmnop"].map(long)];
    const model = new FakeModel([...answers, FINISH], ["text"], 6_000);
    const fast = new FakeModel([SUMMARY], ["text"], 12_000);
    const room = new ContextBudget({ getFastModel: () => fast });
    const approver = deciding({ allow: true }, { allow: false, feedback: "Leave note a alone." });
    const { run } = await rehearse({ answers: [], model, approver, thinking: { contextBudget: room } });
    assert.deepEqual(run.history.summary && [run.history.summary.feedback, run.history.summary.problems], [
      ["(to step 2) Leave note a alone."],
      ["break_note x failed: the pen broke (an unexpected error; try another way)"],
    ]);
  });

  it("needs no new call when the run is resumed", async () => {
    const { log, model } = await inSmallWindow([SUMMARY]);
    const stored = JSON.parse(JSON.stringify(log.events));
    const run = Run.openStored(new MemoryLog(), stored);
    const last = ofType(log.events, "asked").at(-1);
    const rebuilt = rebuildStepPrompt(stored, last?.step ?? 0);
    assert.deepEqual(
      [run.history.summary?.summary, rebuilt?.messages, rebuilt?.schema],
      ["I read the notes a to c.", model.requests.at(-1)?.messages, model.requests.at(-1)?.schema],
    );
  });
});

describe("a prompt's room", () => {
  it("holds the beginning and the end of an outcome that is too long, and says how to read the rest", async () => {
    const model = new FakeModel([says("write_note", { title: "x" }), FINISH], ["text"], 6_000);
    const { end } = await rehearse({
      answers: [],
      model,
      approver: deciding({ allow: true, accepted: `begin ${"x".repeat(40_000)} end` }),
      start: { model: { smart: "fake", fast: "fake", contextWindow: 6_000 } },
    });
    const told = model.requests[1]?.messages.at(-2)?.content ?? "";
    assert.deepEqual(
      [end.reason, told.length < 4_200, /begin x+\n\[… \d+ characters .*output:1.*\]\nx+ end/s.test(told)],
      ["finished", true, true],
    );
  });

  it("lets go of what was recalled before it gives up", async () => {
    const memory = { text: "m".repeat(20_000), source: "note: x", score: 1 };
    const model = new FakeModel([FINISH], ["text"], 6_000);
    const { end, log } = await rehearse({
      answers: [],
      model,
      thinking: { recall: async () => [memory] },
    });
    assert.deepEqual([end.reason, ofType(log.events, "asked")[0]?.tail.recalled], ["finished", []]);
  });

  it("is all that a reply may have once one broke off, older steps folded where that takes it", async () => {
    const cut = { text: "{", finish: "length" };
    const answers = [..."abcdefgh"].flatMap((letter) => [cut, says("read_note", { title: letter.repeat(900) })]);
    const model = new FakeModel([...answers, FINISH], ["text"], 6_000);
    await rehearse({ answers: [], model });
    const limits = model.requests.map(({ maxReplyTokens = 0 }) => maxReplyTokens);
    assert.deepEqual(
      [limits.filter((_, place) => place % 2 === 1).every((limit) => limit === 1_500), Math.min(...limits) < 1_500],
      [true, true],
    );
  });

  it("is not overrun: what cannot fit is never sent", async () => {
    const model = new FakeModel([FINISH], ["text"], 700);
    const { end } = await rehearse({ answers: [], model });
    assert.deepEqual([end.reason, model.requests.length], ["failed", 0]);
  });
});

/** One token per character, so that sizes in these tests are exact; each message adds five. */
const byCharacter = { count: () => (text: string) => text.length };
const PER_MESSAGE = 5;
const NEVER = new AbortController().signal;

const requestOf = (tokens: number): ModelRequest => ({
  messages: [{ role: "user", content: "x".repeat(tokens - PER_MESSAGE) }],
});

/** A prompt of so many tokens, and so many more with its memories. */
function planned(tokens: number, more: Partial<PlannedPrompt> = {}, memoryTokens = 0): PlannedPrompt {
  const memory = { text: "m", source: "note: x", score: 1 };
  return {
    model: new FakeModel([], ["text"], 12_000),
    format: "text",
    tail: { ...sampleTail(), recalled: memoryTokens > 0 ? [memory] : [] },
    needsFullReply: false,
    request: ({ recalled }) => requestOf(tokens + (recalled.length > 0 ? memoryTokens : 0)),
    ...more,
  };
}

async function started(more: Partial<StartedBody> = {}) {
  const log = new MemoryLog();
  return { log, run: await Run.start(log, sampleStart(more)) };
}

/** A run with so many steps of about 1000 tokens each. */
async function withSteps(count: number) {
  const { run, log } = await started();
  for (let step = 1; step <= count; step++) {
    const call = { name: "read_note", args: { title: "a" } };
    await run.record({ type: "asked", step, format: "text", tail: sampleTail() });
    await run.record({
      type: "replied",
      step,
      format: "text",
      text: "",
      calls: [],
      finish: "stop",
      model: "fake",
      reply: { kind: "proposal", thoughts: NO_THOUGHTS, call },
    });
    await run.record({ type: "ended", step, outcome: { status: "done", output: "o".repeat(940) } });
  }
  return { run, log };
}

describe("fitting a prompt", () => {
  const fits = async (prompt: PlannedPrompt) => {
    const { run } = await started();
    const fitted = await new ContextBudget(byCharacter).fit(run, prompt, NEVER);
    return typeof fitted === "string"
      ? fitted
      : { reply: fitted.maxReplyTokens, memories: fitted.tail.recalled.length };
  };

  it("leaves a reply a quarter of the window, or what the prompt leaves of it", async () => {
    assert.deepEqual(
      {
        short: await fits(planned(9_000)),
        long: await fits(planned(9_001)),
        full: await fits(planned(10_800)),
      },
      {
        short: { reply: 3_000, memories: 0 },
        long: { reply: 2_999, memories: 0 },
        full: { reply: 1_200, memories: 0 },
      },
    );
  });

  it("has no way out when too little is left for a reply", async () => {
    await assert.rejects(fits(planned(10_977)), { name: "ModelError", trouble: "context" });
  });

  it("keeps memories that just fit, and drops them from a prompt that is longer by one token", async () => {
    assert.deepEqual(
      { fit: await fits(planned(6_000, {}, 4_400)), tooLong: await fits(planned(6_000, {}, 4_401)) },
      { fit: { reply: 1_600, memories: 1 }, tooLong: { reply: 3_000, memories: 0 } },
    );
  });

  it("drops memories for the sake of a full reply after one was cut off", async () => {
    const full = { needsFullReply: true };
    assert.deepEqual(
      { fit: await fits(planned(6_000, full, 3_000)), tooLong: await fits(planned(6_000, full, 3_001)) },
      { fit: { reply: 3_000, memories: 1 }, tooLong: { reply: 3_000, memories: 0 } },
    );
  });

  it("names the limit that the call could exceed", async () => {
    const { run } = await started({ limits: { ...NO_LIMITS, tokens: 1_500 } });
    assert.equal(await new ContextBudget(byCharacter).fit(run, planned(1_000), NEVER), "tokens");
  });

  it("waits for reserved budget as long as some may become free", async () => {
    const reserved = [5_000, 5_000, 0];
    let waits = 0;
    const { run } = await started({ limits: { ...NO_LIMITS, tokens: 5_000 } });
    const budget = new ContextBudget({
      ...byCharacter,
      getReservedBudget: () => ({ usd: 0, tokens: reserved[waits] ?? 0 }),
      waitForFreeBudget: async () => ++waits < reserved.length,
    });
    const fitted = await budget.fit(run, planned(1_000), NEVER);
    assert.deepEqual({ fits: typeof fitted === "object", waits }, { fits: true, waits: 2 });
  });
});

describe("the server's count of tokens", () => {
  const replyAfter = async (next: Partial<PlannedPrompt>, reported: number) => {
    const { run } = await started();
    const budget = new ContextBudget(byCharacter);
    const prompt = planned(5_000);
    await budget.fit(run, prompt, NEVER);
    budget.learn(prompt.request(prompt.tail), { input: reported, output: 1 });
    const fitted = await budget.fit(run, planned(5_000, next), NEVER);
    return typeof fitted === "object" && fitted.maxReplyTokens;
  };

  it("counts for the same model and format alone", async () => {
    const other = Object.assign(new FakeModel([], ["text"], 12_000), { name: "other" });
    assert.deepEqual(
      {
        same: await replyAfter({}, 10_000),
        otherModel: await replyAfter({ model: other }, 10_000),
        otherFormat: await replyAfter({ format: "jsonSchema" }, 10_000),
      },
      { same: 2_000, otherModel: 3_000, otherFormat: 3_000 },
    );
  });
});

describe("a prompt that the server refused for its length", () => {
  /** The window that the run has learned, if any, and the reply that a prompt of 5,000 tokens may have then. */
  async function refused(details: { window?: number; promptTokens?: number }, tokens = 5_000) {
    const { run, log } = await started();
    const budget = new ContextBudget(byCharacter);
    const model = new FakeModel([], ["text"], 12_000);
    await budget.fit(run, planned(tokens), NEVER);
    await budget.handleRefusal(run, model, requestOf(tokens), new ModelError("context", "Too long.", details));
    return ofType(log.events, "changed").map(({ model: names }) => names?.contextWindow);
  }

  it("teaches the run the smaller window, as stated or else as guessed from the prompt", async () => {
    assert.deepEqual(
      {
        stated: await refused({ window: 4_000 }),
        unstated: await refused({}),
        counted: await refused({ promptTokens: 9_000 }),
        same: await refused({ window: 12_000 }),
      },
      { stated: [4_000], unstated: [4_500], counted: [4_500], same: [4_500] },
    );
  });

  it("teaches only the count where the server has the window but counts more tokens", async () => {
    assert.deepEqual(
      {
        more: await refused({ window: 12_000, promptTokens: 13_000 }),
        fewer: await refused({ window: 12_000, promptTokens: 4_900 }),
      },
      { more: [], fewer: [4_500] },
    );
  });
});

describe("a summary in advance", () => {
  /** The steps that the fast model was asked to summarize once a prompt of so many tokens was fitted. */
  async function begunAt(tokens: number) {
    const { run } = await withSteps(8);
    const fast = new FakeModel([SUMMARY], ["text"], 100_000);
    const budget = new ContextBudget({ ...byCharacter, getFastModel: () => fast });
    await budget.fit(run, planned(tokens), NEVER);
    await budget.close(run);
    return /steps up to (\d+)/.exec(fast.requests[0]?.messages[1]?.content ?? "")?.[1];
  }

  it("is begun at four fifths of the prompt's room, for all steps but the newest", async () => {
    assert.deepEqual({ below: await begunAt(8_319), at: await begunAt(8_320) }, { below: undefined, at: "7" });
  });

  it("isn't begun twice", async () => {
    const { run } = await withSteps(8);
    const fast = new FakeModel([SUMMARY], ["text"], 100_000);
    const budget = new ContextBudget({ ...byCharacter, getFastModel: () => fast });
    await budget.fit(run, planned(9_000), NEVER);
    await budget.fit(run, planned(9_000), NEVER);
    await budget.close(run);
    assert.equal(fast.requests.length, 1);
  });
});

describe("a prompt whose newest step alone is too long", () => {
  it("gets even that step summarized", async () => {
    const { run, log } = await withSteps(1);
    const request = () => requestOf(run.history.summary ? 5_000 : 11_500);
    const fitted = await new ContextBudget(byCharacter).fit(run, planned(0, { request }), NEVER);
    assert.deepEqual(
      {
        fits: typeof fitted === "object",
        through: ofType(log.events, "compacted").map(({ through }) => through),
      },
      { fits: true, through: [1] },
    );
  });
});
