import assert from "node:assert/strict";
import { figuresOf, type MeasuredRun, missed, repliesIn } from "../../../scripts/small-models/figures.mjs";
import { says } from "../../support/fake-model.ts";
import { rehearsal } from "../../support/rehearsal.ts";

describe("the measurement of small models", () => {
  it("counts a reply as valid if its command exists and its arguments fit", async () => {
    const { live, log } = await rehearsal({
      answers: [
        says("read_note", { title: "a" }),
        says("read_note", {}),
        says("fly", {}),
        { ...says("read_note", { title: "a" }), text: "{", finish: "length" },
        says("task_complete", { title: "Done." }),
      ],
    });
    live.resume();
    await live.end;
    assert.deepEqual(
      repliesIn(log.events).map(({ isReadable, isValid }) => [isReadable, isValid]),
      [
        [true, true],
        [true, false],
        [true, false],
        [false, false],
        [true, true],
      ],
    );
  });

  const run = (over: Partial<MeasuredRun>): MeasuredRun => ({
    window: 2_048,
    end: "finished",
    passed: false,
    seconds: 1,
    promptTokens: 1_500,
    replies: Array.from({ length: 20 }, () => ({ isReadable: true, isValid: true })),
    ...over,
  });
  const bad = { isReadable: false, isValid: false };
  const invalid = { isReadable: true, isValid: false };

  for (const [name, runs, misses] of [
    ["nothing for good runs", [run({}), run({ end: "stuck" }), run({ end: "exhausted" })], []],
    [
      "too few readable replies",
      [run({ replies: [...run({}).replies, bad, bad] })],
      ["90.9% of the replies are readable, less than 95.0%."],
    ],
    [
      "too few valid calls",
      [run({ replies: [...run({}).replies, invalid, invalid, invalid] })],
      ["87.0% of the replies are valid calls, less than 90.0%."],
    ],
    ["a run that failed", [run({ end: "failed" })], ["A run didn't end as declared."]],
    ["a prompt that fills its window", [run({ promptTokens: 2_048 })], ["A prompt was larger than its window."]],
  ] as const)
    it(`reports ${name}`, () => assert.deepEqual(missed(figuresOf(runs)), misses));
});
