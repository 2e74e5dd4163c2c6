import assert from "node:assert/strict";
import type { Outcome } from "../../../../src/core/commands/outcome.ts";
import type { StepView } from "../../../../src/core/events/run-state.ts";
import {
  guardedSteps,
  isLoopPause,
  loopFinding,
  loopPauseReason,
  unreadableStreak,
} from "../../../../src/core/loop/loop-guard.ts";
import { NO_THOUGHTS, THOUGHT_PURPOSE } from "../../../../src/core/reply/reply.ts";

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
      (name): [string, readonly StepView[], undefined] => [
        `polling by ${name}`,
        times(9, step(name)),
        undefined,
      ],
    ),
    ...["command name", "command_name", "Name", "string", "<NAME>", "one of the commands above"].map(
      (name): [string, readonly StepView[], string] => [`an echo of ${name}`, [step(name)], "remark"],
    ),
    ["an echo of the type of the thoughts", [step("x", {}, "", "string")], "remark"],
  ];
  for (const [name, steps, kind] of cases) {
    it(`finds ${kind === undefined ? "nothing" : `a reason for a ${kind}`} in ${name}`, () =>
      assert.equal(loopFinding(steps)?.kind, kind));
  }

  it("tells the model how often it did the same", () => {
    assert.match(loopFinding(times(5, a))?.text ?? "", /^You have now given the same call 5 times/);
  });
});

describe("steps that count for the guard", () => {
  it("are those since the user last spoke", () => {
    const recent = [1, 2, 3].map((step) => view({ step }));
    assert.deepEqual(
      guardedSteps({ recent, guardFrom: 2 }).map(({ step }) => step),
      [2, 3],
    );
  });
});

describe("a pause for a loop", () => {
  it("is recognized by its reason, also in old logs", () => {
    assert.deepEqual(
      {
        today: isLoopPause(loopPauseReason({ kind: "pause", text: "Stop." })),
        old: isLoopPause("The agent goes round in circles and needs a word from you. It was told: Stop."),
        other: isLoopPause("Paused by the user."),
      },
      { today: true, old: true, other: false },
    );
  });
});

describe("unreadable replies", () => {
  const cases: [readonly StepView[], boolean][] = [
    [times(2, UNREADABLE), false],
    [times(3, UNREADABLE), true],
    [[UNREADABLE, UNREADABLE, step("read_file"), UNREADABLE], false],
  ];
  for (const [steps, expected] of cases) {
    it(`${steps.length} steps: ${expected ? "enough" : "not yet three in a row"}`, () =>
      assert.equal(unreadableStreak(steps), expected));
  }
});
