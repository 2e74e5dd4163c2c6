import assert from "node:assert/strict";
import fc from "fast-check";
import type { Outcome } from "../../../../src/core/commands/outcome.ts";
import {
  applyEvent,
  getCurrentStep,
  getRunPhase,
  NO_RUN,
  RECENT_STEPS,
  type RunState,
} from "../../../../src/core/events/run-state.ts";
import { type PlanItem, renderChecklistText } from "../../../../src/core/reply/plan.ts";
import { NO_THOUGHTS } from "../../../../src/core/reply/reply.ts";
import type { AgentEvent, AgentEventBody } from "../../../../src/schema/events.ts";
import { play, randomRuns } from "../../../support/random-run.ts";
import { NO_LIMITS, sampleStart, sampleTail } from "../../../support/sample-run.ts";

const T0 = Date.UTC(2026, 0, 1);

/** The state after these events, a second apart. */
function told(...bodies: readonly AgentEventBody[]): RunState {
  const events = bodies.map((body, seq): AgentEvent => ({ seq, at: new Date(T0 + seq * 1000).toISOString(), ...body }));
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
      missed: 0,
      replies: 1,
      input: 11,
      output: 2,
      cached: 0,
      discounted: 0,
      usd: 0.5,
      unpriced: 1,
      activeMs: 2000,
    });
  });

  const GAPS: readonly (readonly [string, readonly AgentEventBody[], number])[] = [
    ["while the model was asked", [asked(1)], 0],
    ["while a command ran", step(1).slice(0, 4), 1000],
    ["some time after the model was asked", [asked(1), { type: "said", text: "Hurry.", by: "user" }], 1000],
  ];
  for (const [name, before, activeMs] of GAPS)
    it(`does not count the time between an interruption ${name} and the continuation`, () => {
      const resumed: AgentEventBody = { type: "resumed", reason: "" };
      const bodies = [sampleStart(), ...before, resumed, asked(1), replied(1)];
      const cut = before.length;
      const night = 12 * 3_600_000;
      const state = bodies
        .map(
          (body, seq): AgentEvent => ({
            seq,
            at: new Date(T0 + seq * 1000 + (seq > cut ? night : 0)).toISOString(),
            ...body,
          }),
        )
        .reduce(applyEvent, NO_RUN);
      assert.equal(state.totals.activeMs, activeMs + 1000);
    });

  it("never counts less active time after an event than before it, even if the clock goes backward", () => {
    const times = [0, 5, 9, 3, 4, 12];
    const bodies = [
      sampleStart(),
      asked(1),
      asked(1),
      { type: "said", text: "x", by: "user" } as const,
      asked(1),
      replied(1),
    ];
    let state: RunState = NO_RUN;
    const totals = bodies.map((body, seq) => {
      state = applyEvent(state, { seq, at: new Date(T0 + (times[seq] ?? 0)).toISOString(), ...body });
      return state.totals.activeMs;
    });
    assert.deepEqual(totals, [0, 0, 4, 4, 4, 12]);
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
      [told(sampleStart()), told(sampleStart(), asked(1)), told(sampleStart(), ...step(1))].map(getCurrentStep),
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
      assert.equal(getRunPhase(told(...events)), expected));
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

  it("leaves the loop guard alone if no one has helped: after self-criticism, and an interruption", () => {
    const guardFrom = (...events: readonly AgentEventBody[]): number =>
      told(sampleStart(), ...step(1), ...events).guardFrom;
    const resumed: AgentEventBody = { type: "resumed", reason: "" };
    assert.deepEqual(
      {
        criticized: guardFrom({ type: "said", text: "hm", by: "self" }),
        interrupted: guardFrom(asked(2), resumed),
        paused: guardFrom({ type: "paused", reason: "tea" }, resumed),
        over: guardFrom({ type: "over", end: { reason: "stuck", why: "" } }, resumed),
      },
      { criticized: 0, interrupted: 0, paused: 2, over: 2 },
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

  it("holds where an isolated run works, and its last review until the next step", () => {
    const isolated = {
      home: "/copies/r",
      engine: "bubblewrap",
      folders: [{ name: "app", path: "/copies/r/app", origin: "/app" }],
    };
    const start: AgentEventBody = { ...sampleStart(), mode: "isolated", isolated };
    const reviewed: AgentEventBody = {
      ...{ type: "reviewed", what: "branch", files: ["a", "b"] },
      ...{ conflicts: ["c"], branch: "auto" },
    };
    const at = new Date(T0 + 1000).toISOString();
    const [before, after] = [told(start, reviewed), told(start, reviewed, ...step(1))];
    const review = { what: "branch", at, files: 2, conflicts: 1, branch: "auto" };
    assert.deepEqual(
      [before.mode, before.isolated, before.review, after.review],
      ["isolated", isolated, review, { ...review, isOutdated: true }],
    );
  });

  it("lets events pass that change nothing but the log", () => {
    const beside: AgentEventBody[] = [
      { type: "granted", count: 3 },
      { type: "child", run: "r", name: "n", what: "started" },
      { type: "recalled", step: 1, memories: [] },
    ];
    assert.deepEqual(told(sampleStart(), ...beside), { ...told(sampleStart()), seq: 3 });
  });
});

describe("the plan of a run", () => {
  const planned = (...items: readonly PlanItem[]): AgentEventBody => ({ type: "planned", items });
  const finishing = (n: number, plan = ""): AgentEventBody[] => [
    ...[asked(n), replied(n, plan), decided(n), began(n)],
    { type: "ended", step: n, outcome: { status: "finished", summary: "" } },
    { type: "over", end: { reason: "finished", summary: "" } },
  ];
  const thinks = (n: number, plan: string, outcome: Outcome = { status: "done", output: "" }): AgentEventBody[] => [
    ...[asked(n), replied(n, plan), decided(n), began(n)],
    { type: "ended", step: n, outcome },
  ];
  const look: PlanItem = { text: "Look around", status: "done" };
  const fix: PlanItem = { text: "Fix the cause", status: "in_progress" };
  const check: PlanItem = { text: "Run the checks", status: "pending" };
  const failed: Outcome = { status: "failed", error: "No." };

  const cases: readonly (readonly [string, readonly AgentEventBody[], string])[] = [
    ["begins with the first thought's", thinks(1, "- a\n- b"), "[ ] a|[ ] b"],
    [
      "takes the marks of the latest thought",
      [...thinks(1, "- a\n- b"), ...thinks(2, "- [x] a\n- [>] b")],
      "[x] a|[>] b",
    ],
    ["is left alone by a thought without a plan", [...thinks(1, "- a"), ...thinks(2, " \n")], "[ ] a"],
    [
      "is left alone by a reply that could not be read",
      [...thinks(1, "- a"), asked(2), { ...replied(2), reply: { kind: "unreadable", problem: "?" } } as AgentEventBody],
      "[ ] a",
    ],
    [
      "counts a first step that is no longer planned as done",
      [...thinks(1, "- a\n- b\n- c"), ...thinks(2, "- b\n- c")],
      "[x] a|[ ] b|[ ] c",
    ],
    [
      "does not count a step as done after one that failed",
      [...thinks(1, "- a\n- b", failed), ...thinks(2, "- b")],
      "[ ] b",
    ],
    [
      "keeps what is done when the rest is planned again",
      [...thinks(1, "- [x] a\n- b"), ...thinks(2, "- c\n- d")],
      "[x] a|[ ] c|[ ] d",
    ],
    [
      "keeps the status of a step that is planned again without a mark",
      [...thinks(1, "- [x] a\n- b"), ...thinks(2, "1. a\n2. b")],
      "[x] a|[ ] b",
    ],
    [
      "knows a step by nearly the same words",
      [
        ...thinks(1, "- [x] Fix the rounding bug in cart.js\n- b"),
        ...thinks(2, "- Fix rounding bug in `cart.js`.\n- b"),
      ],
      "[x] Fix rounding bug in `cart.js`.|[ ] b",
    ],
    [
      "distinguishes a step from its repetition",
      [...thinks(1, "- [x] run the checks\n- fix"), ...thinks(2, "- fix\n- run the checks again")],
      "[x] run the checks|[ ] fix|[ ] run the checks again",
    ],
    [
      "holds what update_plan said while thoughts name its steps",
      [planned(look, fix, check), ...thinks(1, "- run the checks")],
      "[x] Look around|[>] Fix the cause|[ ] Run the checks",
    ],
    [
      "takes a later thought's marks after update_plan",
      [planned(look, fix, check), ...thinks(1, "- [x] Look around\n- [x] Fix the cause\n- [>] Run the checks")],
      "[x] Look around|[x] Fix the cause|[>] Run the checks",
    ],
    [
      "follows a thought that plans something else after update_plan",
      [planned(look, fix, check), ...thinks(1, "- ask the user\n- write a report")],
      "[x] Look around|[ ] ask the user|[ ] write a report",
    ],
    [
      "takes update_plan's word over a thought before it",
      [...thinks(1, "- a"), planned(look, check)],
      "[x] Look around|[ ] Run the checks",
    ],
    ["stays open when the run has finished without a mark", [...thinks(1, "- a\n- b"), ...finishing(2)], "[ ] a|[ ] b"],
    [
      "stays as update_plan left it when the run has finished",
      [planned(look, fix, check), ...finishing(1)],
      "[x] Look around|[>] Fix the cause|[ ] Run the checks",
    ],
    [
      "keeps open what the finishing reply itself marks as open",
      [...thinks(1, "- a\n- b"), ...finishing(2, "- [x] a\n- [ ] b")],
      "[x] a|[ ] b",
    ],
    [
      "keeps what was dropped when the run has finished",
      [planned({ ...check, status: "dropped" }, fix), ...finishing(1)],
      "[-] Run the checks|[>] Fix the cause",
    ],
    [
      "stays as it was when the run ends otherwise",
      [planned(look, fix), { type: "over", end: { reason: "stopped" } }],
      "[x] Look around|[>] Fix the cause",
    ],
  ];
  for (const [name, events, expected] of cases)
    it(name, () =>
      assert.equal(renderChecklistText(told(sampleStart(), ...events).plan).replaceAll("\n", "|"), expected),
    );

  it("stays open when all that was wanted was a plan", () => {
    const state = told(sampleStart({ mode: "plan" }), ...thinks(1, "- a"), ...finishing(2));
    assert.deepEqual(state.plan, [{ text: "a", status: "pending" }]);
  });

  it("begins with what is done when as many steps as it holds are planned again", () => {
    const many = (word: string, mark: string): string =>
      Array.from({ length: 20 }, (_, at) => `- ${mark}${word} ${at}`).join("\n");
    const { plan } = told(sampleStart(), ...thinks(1, many("a", "[x] ")), ...thinks(2, many("b", "")));
    assert.deepEqual([plan.length, plan[0]?.text, plan.at(-1)?.text], [30, "a 10", "b 19"]);
  });
});

describe("the state of any run", () => {
  it("is what its stored events say, whether folded one by one or read back", async () => {
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
    const states = [
      told(sampleStart(), ...steps(500)).recent.length,
      size(9 * RECENT_STEPS) - size(4 * RECENT_STEPS) < 100,
    ];
    assert.deepEqual(states, [RECENT_STEPS, true]);
  });
});

describe("what a compaction costs", () => {
  const compacted = { type: "compacted", through: 1, summary: "s" } as const;

  it("counts if a model wrote the summary, and only then", () => {
    const start = sampleStart();
    const paid = { ...compacted, model: "m", usage: { input: 9, output: 1 }, costUsd: 0.5 };
    const totals = (event: AgentEventBody) => {
      const { input, output, usd, unpriced } = told(start, ...step(1), event).totals;
      return { input, output, usd, unpriced };
    };
    assert.deepEqual(
      { byModel: totals(paid), byDigest: totals(compacted) },
      {
        byModel: { input: 19, output: 2, usd: 1, unpriced: 0 },
        byDigest: { input: 10, output: 1, usd: 0.5, unpriced: 0 },
      },
    );
  });

  it("has the calls of plugins in the step that they belong to: those from before it, and those during it", () => {
    const hooked = (hook: "beforeThinking" | "beforeCommand"): AgentEventBody => ({
      ...{ type: "hooked", step: 1, plugin: "p", hook, ms: 1, result: "none" },
    });
    const state = told(sampleStart(), hooked("beforeThinking"), asked(1), asked(1), hooked("beforeCommand"));
    assert.deepEqual(
      { inStep: state.open?.hooks?.map(({ hook }) => hook), waiting: state.hooks },
      { inStep: ["beforeThinking", "beforeCommand"], waiting: undefined },
    );
  });
});
