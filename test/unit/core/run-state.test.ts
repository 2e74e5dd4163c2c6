import assert from "node:assert/strict";
import fc from "fast-check";
import type { AgentEvent, AgentEventBody } from "../../../src/core/event.ts";
import { NO_THOUGHTS } from "../../../src/core/reply.ts";
import { applyEvent, currentStep, NO_RUN, PAGE, phase, type RunState } from "../../../src/core/run-state.ts";
import { play, randomRuns } from "../../support/random-run.ts";
import { NO_LIMITS, sampleStart, sampleTail } from "../../support/sample-run.ts";

const T0 = Date.UTC(2026, 0, 1);

/** The state after these events, a second apart. */
function told(...bodies: readonly AgentEventBody[]): RunState {
  const events = bodies.map(
    (body, seq): AgentEvent => ({ seq, at: new Date(T0 + seq * 1000).toISOString(), ...body }),
  );
  return events.reduce(applyEvent, NO_RUN);
}

const asked = (step: number): AgentEventBody => ({ type: "asked", step, format: "text", tail: sampleTail() });

const replied = (step: number, plan = ""): AgentEventBody => ({
  type: "replied",
  step,
  format: "text",
  text: "",
  calls: [],
  finish: "stop",
  reply: { kind: "proposal", thoughts: { ...NO_THOUGHTS, plan }, call: { name: "x", args: {} } },
  model: "m",
  usage: { input: 10, output: 1 },
  costUsd: 0.5,
});

const decided = (step: number): AgentEventBody => ({
  type: "decided",
  step,
  allow: true,
  by: "rule",
  rule: "reads",
  reason: "harmless",
  hash: "",
  edited: true,
});
const began = (step: number): AgentEventBody => ({ type: "began", step, command: "x", args: {} });
const ended = (step: number): AgentEventBody => ({
  type: "ended",
  step,
  outcome: { status: "done", output: "ok" },
});
const step = (n: number): AgentEventBody[] => [asked(n), replied(n), decided(n), began(n), ended(n)];

describe("the state of a run", () => {
  it("knows the run from its start", () => {
    const { task, profile, model, limits, mode, folder, id } = sampleStart();
    assert.deepEqual(told(sampleStart()), {
      ...NO_RUN,
      seq: 0,
      id,
      task,
      profile,
      model,
      limits,
      mode,
      folder,
      startedAt: new Date(T0).toISOString(),
    });
  });

  it("keeps a step that ended, with all that is shown of it", () => {
    assert.deepEqual(told(sampleStart(), ...step(1)).recent, [
      {
        step: 1,
        at: new Date(T0 + 1000).toISOString(),
        stage: "ended",
        recalled: [],
        reply: { kind: "proposal", thoughts: NO_THOUGHTS, call: { name: "x", args: {} } },
        usage: { input: 10, output: 1 },
        costUsd: 0.5,
        decided: { allow: true, by: "rule", rule: "reads", reason: "harmless", edited: true },
        outcome: { status: "done", output: "ok" },
      },
    ]);
  });

  it("sums up what was spent, and the time that was not waiting", () => {
    const spent: AgentEventBody = { type: "spent", on: "draft", model: "m", usage: { input: 1, output: 1 } };
    assert.deepEqual(told(sampleStart(), ...step(1), spent).totals, {
      steps: 1,
      input: 11,
      output: 2,
      cached: 0,
      usd: 0.5,
      unpriced: 1,
      activeMs: 2000,
    });
  });
});

describe("the steps of a run", () => {
  it("ignores what belongs to a step that is not open", () => {
    const before = told(sampleStart(), asked(2));
    const strays = [decided(1), began(3), ended(1)].map((body) =>
      applyEvent(before, { seq: 2, at: new Date(T0 + 2000).toISOString(), ...body }),
    );
    assert.deepEqual(
      strays.map(({ open, recent }) => ({ open, recent })),
      strays.map(() => ({ open: before.open, recent: [] })),
    );
  });

  it("counts steps from 1, the open one first", () => {
    assert.deepEqual(
      [told(sampleStart()), told(sampleStart(), asked(1)), told(sampleStart(), ...step(1))].map(currentStep),
      [1, 1, 2],
    );
  });
});

describe("the phase of a run", () => {
  const start = sampleStart();
  const cases: [string, AgentEventBody[]][] = [
    ["thinking", [start]],
    ["thinking", [start, asked(1)]],
    ["waiting", [start, asked(1), replied(1)]],
    ["thinking", [start, asked(1), replied(1), decided(1)]],
    ["acting", [start, asked(1), replied(1), decided(1), began(1)]],
    ["thinking", [start, ...step(1)]],
    ["paused", [start, ...step(1), { type: "paused", reason: "tea" }]],
    ["thinking", [start, { type: "paused", reason: "tea" }, { type: "resumed", reason: "" }]],
    ["over", [start, { type: "over", end: { reason: "stopped" } }]],
    ["thinking", [start, { type: "over", end: { reason: "stopped" } }, { type: "resumed", reason: "" }]],
  ];
  for (const [expected, events] of cases) {
    it(`is ${expected} after ${events.map(({ type }) => type).join(", ")}`, () =>
      assert.equal(phase(told(...events)), expected));
  }
});

describe("what is said and changed in a run", () => {
  it("waits for the next prompt, and frees the loop guard", () => {
    const said: AgentEventBody = { type: "said", text: "hurry", by: "user" };
    const states = [told(sampleStart(), ...step(1), said), told(sampleStart(), ...step(1), said, asked(2))];
    assert.deepEqual(
      states.map(({ queued, guardFrom }) => ({ queued, guardFrom })),
      [
        { queued: ["hurry"], guardFrom: 2 },
        { queued: [], guardFrom: 2 },
      ],
    );
  });

  it("takes the plan from the thoughts only while there is none", () => {
    const plan = (text: string): AgentEventBody => ({ type: "planned", items: [{ text, status: "done" }] });
    const states = [
      told(sampleStart(), asked(1), replied(1, "- a")),
      told(sampleStart(), asked(1), replied(1, "- a"), asked(1), replied(1, "- b")),
      told(sampleStart(), plan("p"), asked(1), replied(1, "- a")),
    ];
    assert.deepEqual(
      states.map((state) => state.plan.map(({ text }) => text)),
      [["a"], ["a"], ["p"]],
    );
  });

  it("holds what was changed, and leaves the rest", () => {
    const model = { smart: "a", fast: "b", contextWindow: 1 };
    const {
      profile,
      limits,
      model: changedModel,
      mode,
    } = told(
      sampleStart(),
      { type: "changed", goals: ["new"] },
      { type: "changed", limits: { usd: 9 }, model },
      { type: "changed", mode: "continuous" },
    );
    assert.deepEqual(
      [profile.goals, limits, changedModel, mode],
      [["new"], { ...NO_LIMITS, usd: 9 }, model, "continuous"],
    );
  });

  it("lets events pass that change nothing but the log", () => {
    const beside: AgentEventBody[] = [
      { type: "granted", count: 3 },
      { type: "undone", step: 1, files: [] },
      { type: "child", run: "r", name: "n", what: "started" },
      { type: "recalled", step: 1, memories: [] },
    ];
    assert.deepEqual(told(sampleStart(), ...beside), { ...told(sampleStart()), seq: 4 });
  });
});

describe("the state of any run", () => {
  it("is what its stored events tell, whether folded one by one or read back", async () => {
    await fc.assert(
      fc.asyncProperty(randomRuns([3_000, 32_000]), async (random) => {
        const { run, log } = await play(random);
        const stored: AgentEvent[] = JSON.parse(JSON.stringify(log.events));
        assert.deepEqual(stored.reduce(applyEvent, NO_RUN), JSON.parse(JSON.stringify(run.state)));
      }),
      { numRuns: 60 },
    );
  });

  it("does not grow with the run", () => {
    const steps = (count: number): AgentEventBody[] =>
      Array.from({ length: count }, (_, index) => step(index + 1)).flat();
    const size = (count: number): number => JSON.stringify(told(sampleStart(), ...steps(count))).length;
    const states = [told(sampleStart(), ...steps(500)).recent.length, size(9 * PAGE) - size(4 * PAGE) < 100];
    assert.deepEqual(states, [PAGE, true]);
  });
});
