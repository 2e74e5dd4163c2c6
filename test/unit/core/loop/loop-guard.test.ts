import assert from "node:assert/strict";
import type { Outcome } from "../../../../src/core/commands/outcome.ts";
import type { StepView } from "../../../../src/core/events/run-state.ts";
import {
  explainLoopPause,
  explainMissedSteps,
  explainStuckRun,
  findLoop,
  isLoopPause,
  MAX_MISSED_IN_A_ROW,
  selectGuardedSteps,
} from "../../../../src/core/loop/loop-guard.ts";
import { WITHHELD } from "../../../../src/core/reply/complaints.ts";
import { NO_THOUGHTS, THOUGHT_PURPOSE } from "../../../../src/core/reply/reply.ts";
import { displayText, writeInEnglish } from "../../../../src/texts/display-text.ts";

const view = (more: Partial<StepView>): StepView => ({
  step: 1,
  at: "",
  stage: "ended",
  recalled: [],
  ...more,
});

function step(name: string, args: object = {}, output = "same", text = "A thought."): StepView {
  const outcome: Outcome = { status: "done", output };
  return view({
    reply: { kind: "proposal", thoughts: { ...NO_THOUGHTS, text }, call: { name, args: { ...args } } },
    outcome,
  });
}

const UNREADABLE = view({
  reply: { kind: "unreadable", problem: "?" },
  outcome: { status: "failed", error: "?" },
});

const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

describe("loop guard", () => {
  const a = step("read_file", { a: 1, b: 2 });
  const same = step("Read_File", { b: 2, a: 1 });
  const b = step("list_files");
  const idle = (output: string): StepView => step("do_nothing", { reason: output }, output);
  const cases: [string, readonly StepView[], string | undefined][] = [
    ["nothing yet", [], undefined],
    ["two equal calls", [a, a], undefined],
    ["three equal calls, however written", [a, same, a], "remark"],
    ["a fourth equal call", [a, a, a, a], "pause"],
    ["equal calls with other outcomes", [a, step("read_file", { a: 1, b: 2 }, "news"), a], undefined],
    ["equal calls with other arguments", [a, step("read_file", { a: 2 }), a], undefined],
    ["polling", times(9, step("read_process_output", { id: 1 })), undefined],
    ["there and back again", [a, b, a, b], "remark"],
    ["back and forth for a third time", [a, b, a, b, a, b], "pause"],
    ["three steps of there and back", [a, b, a], undefined],
    ["doing nothing twice", [idle("1"), idle("2")], undefined],
    ["doing nothing three times, with other reasons", [idle("1"), idle("2"), idle("3")], "remark"],
    ["doing nothing four times", [idle("1"), idle("2"), idle("3"), idle("4")], "pause"],
    ["an echo of the form by its name", [step("command name")], "remark"],
    ["an echo of the form by its thoughts", [step("x", {}, "", THOUGHT_PURPOSE.text)], "remark"],
    ["a second echo", [step("<name>"), step("string", {}, "other")], "pause"],
    ["unreadable replies, which are not its matter", times(4, UNREADABLE), undefined],
    ["old trouble that is over", [a, a, a, b], undefined],
    ["a loop that follows something else", [b, a, a, a], "remark"],
    ["an earlier loop before other steps", [a, a, a, b, step("find_symbol")], undefined],
    ["three steps back and forth after another one", [step("find_symbol"), b, a, b], undefined],
    ["five steps back and forth", [a, b, a, b, a], "remark"],
    ["equal outcomes of different calls", [step("a"), step("b"), step("c")], undefined],
    ...["read_process_output", "list_processes", "get_problems", "list_agents"].map(
      (name): [string, readonly StepView[], undefined] => [`polling by ${name}`, times(9, step(name)), undefined],
    ),
    ...["command name", "command_name", "Name", "string", "<NAME>", "one of the commands above"].map(
      (name): [string, readonly StepView[], string] => [`an echo of ${name}`, [step(name)], "remark"],
    ),
    ["an echo of the type of the thoughts", [step("x", {}, "", "string")], "remark"],
  ];
  for (const [name, steps, kind] of cases) {
    it(`finds ${kind === undefined ? "nothing" : `a reason for a ${kind}`} in ${name}`, () =>
      assert.equal(findLoop(steps)?.kind, kind));
  }

  it("shows the model how often it did the same thing", () => {
    assert.match(findLoop(times(5, a))?.text ?? "", /^You have now made the same call 5 times/);
  });
});

describe("steps that count for the guard", () => {
  it("are those since the user last spoke", () => {
    const recent = [1, 2, 3].map((step) => view({ step }));
    assert.deepEqual(
      selectGuardedSteps({ recent, guardFrom: 2 }).map(({ step }) => step),
      [2, 3],
    );
  });
});

describe("a pause for a loop", () => {
  it("is recognized by its reason, also in old logs", () => {
    const did = displayText("trouble.repeatedTemplate");
    assert.deepEqual(
      {
        today: isLoopPause(writeInEnglish(explainLoopPause({ kind: "pause", text: "Stop.", did }))),
        old: isLoopPause("The agent goes round in circles and needs a word from you. It was told: Stop."),
        other: isLoopPause("Paused by the user."),
      },
      { today: true, old: true, other: false },
    );
  });
});

describe("why a run is stuck", () => {
  const a = step("read_file", { filename: "a" });
  const b = step("list_files");
  const cases: [string, readonly StepView[], string][] = [
    [
      "the same call",
      times(4, a),
      "It called read_file 4 times with the same arguments and outcome. Tell it what to do differently, or choose another model.",
    ],
    [
      "two calls in turn",
      [a, b, a, b, a, b],
      "It keeps alternating between read_file and list_files, with the same outcomes. Tell it what to do differently, or choose another model.",
    ],
    [
      "nothing",
      times(4, step("do_nothing")),
      "It called do_nothing 4 times with the same arguments and outcome. Tell it what to do differently, or choose another model.",
    ],
    [
      "an echo",
      [step("string", { a: 1 }), step("name")],
      "It repeated the reply template instead of filling it in, so no command ran. Tell it what to do differently, or choose another model.",
    ],
  ];
  for (const [name, steps, expected] of cases) {
    it(`is written for the user: ${name}`, () => {
      const finding = findLoop(steps);
      assert.deepEqual(
        { kind: finding?.kind, why: finding && writeInEnglish(explainStuckRun(finding)) },
        { kind: "pause", why: expected },
      );
    });
  }
});

describe("steps whose call never ran", () => {
  const INVALID = view({
    reply: { kind: "proposal", thoughts: NO_THOUGHTS, call: { name: "fly", args: {} } },
    outcome: { status: "failed", error: "?", isInvalid: true },
  });
  const HELD_BACK = view({ reply: { kind: "unreadable", problem: WITHHELD } });
  const refused = (by: "rule" | "user"): StepView =>
    view({
      reply: { kind: "proposal", thoughts: NO_THOUGHTS, call: { name: "delete_file", args: {} } },
      outcome: { status: "refused", feedback: "No." },
      decided: { allow: false, by, reason: "?" },
    });
  const all = MAX_MISSED_IN_A_ROW;
  const cases: [string, readonly StepView[], string | undefined][] = [
    ["one too few", times(all - 1, UNREADABLE), undefined],
    [
      "all unreadable",
      [step("read_file"), ...times(all, UNREADABLE)],
      "None of the last 20 steps ran a command: 20 unreadable replies. Choose another model, or tell the agent what to do next.",
    ],
    [
      "of every kind",
      [...times(all - 3, UNREADABLE), INVALID, INVALID, refused("rule")],
      "None of the last 20 steps ran a command: 17 unreadable replies, 2 invalid calls, and 1 refused call. Choose another model, or tell the agent what to do next.",
    ],
    [
      "mostly refused",
      [...times(all - 1, refused("rule")), UNREADABLE],
      "None of the last 20 steps ran a command: 1 unreadable reply and 19 refused calls. Allow the commands that the task needs, or tell the agent what to do instead.",
    ],
    ["withheld a few times", times(4, HELD_BACK), undefined],
    [
      "withheld again and again",
      [step("read_file"), ...times(5, HELD_BACK)],
      "The model or its provider's content filter withheld the last 5 replies. Change the task or what it reads, or choose another model.",
    ],
    ["one of them ran", [...times(10, UNREADABLE), step("read_file"), ...times(10, UNREADABLE)], undefined],
    [
      "one failed as it ran",
      [
        ...times(10, UNREADABLE),
        view({ ...INVALID, outcome: { status: "failed", error: "?" } }),
        ...times(10, UNREADABLE),
      ],
      undefined,
    ],
    ["refused by the user", times(all, refused("user")), undefined],
  ];
  for (const [name, steps, expected] of cases) {
    it(`${expected === undefined ? "don't end the run" : "end the run"}: ${name}`, () => {
      const reason = explainMissedSteps(steps);
      assert.equal(reason && writeInEnglish(reason), expected);
    });
  }
});
