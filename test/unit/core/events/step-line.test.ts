import assert from "node:assert/strict";
import type { StepView } from "../../../../src/core/events/run-state.ts";
import { createStepLine } from "../../../../src/core/events/step-line.ts";
import { NO_THOUGHTS } from "../../../../src/core/reply/reply.ts";
import { parseLog } from "../../../../src/runs/log/read-log.ts";
import { write } from "../../../../src/texts/language.ts";
import { sampleStart } from "../../../support/sample-run.ts";

/** The result on the line of a step whose outcome has this summary, as it's read from a log. */
function resultOf(status: "done" | "failed", summary: unknown): string {
  const outcome = status === "done" ? { status, output: "", summary } : { status, error: "", summary };
  const ended = { seq: 1, at: "2026-01-02T03:04:05.000Z", type: "ended", step: 1, outcome };
  const log = [{ seq: 0, at: ended.at, ...sampleStart({ id: "x" }) }, ended];
  const { events } = parseLog(log.map((event) => `${JSON.stringify(event)}\n`).join(""));
  const [, last] = events;
  assert.ok(last?.type === "ended", "The log can be read.");
  const step = { step: 1, recalled: [], stage: "ended", outcome: last.outcome } as unknown as StepView;
  const line = createStepLine(step, true);
  return write(line.summary ?? line.word);
}

describe("the line of a step", () => {
  it("shows the summary of its outcome, and none that a newer version, a damaged or a hostile log has", () => {
    const strange = [
      { code: "later.text" },
      { code: "constructor" },
      { code: "common.files" },
      { code: "common.files", parameters: { count: [null] } },
      { code: "common.files", parameters: { count: { code: null } } },
      { code: "common.files", parameters: { count: [[["a"]]] } },
    ];
    assert.deepEqual(
      [
        resultOf("done", { code: "common.files", parameters: { count: 2, more: ["x"] } }),
        ...new Set(strange.flatMap((text) => [resultOf("done", text), resultOf("failed", text)])),
      ],
      ["2 files", "Done", "Failed"],
    );
  });

  const CALL = { name: "read_file", args: { filename: "a.txt" } };
  const PROPOSAL = { kind: "proposal", thoughts: NO_THOUGHTS, call: CALL };
  const READS = { ...PROPOSAL, also: [{ name: "read_file", args: { filename: "b.txt" } }] };
  const UNREADABLE = { kind: "unreadable", problem: "It's no JSON." };
  const DONE = { status: "done", output: "" };
  const REFUSED = { status: "refused", feedback: "No." };
  const by = (source: string) => ({ allow: false, by: source, reason: "" });

  const LINES: readonly (readonly [string, object, string])[] = [
    ["thinks", { stage: "asked" }, "working: Thinking…"],
    ["was interrupted while it thought", { stage: "asked", isResting: true }, "pause: Not completed"],
    ["got a reply that can't be read", { stage: "replied", reply: UNREADABLE }, "warning: Trying again"],
    ["waits", { stage: "replied", reply: PROPOSAL }, "ask: Waiting for you"],
    ["runs", { stage: "began", reply: PROPOSAL, began: CALL }, "working: Running"],
    [
      "was interrupted while it ran",
      { stage: "began", reply: PROPOSAL, began: CALL, isResting: true },
      "pause: Interrupted",
    ],
    ["read several files", { reply: READS, outcome: DONE, also: [DONE] }, "accept: Done"],
    ["failed in part", { reply: READS, outcome: DONE, also: [{ status: "failed", error: "" }] }, "close: Failed"],
    ["ran a program that failed", { reply: PROPOSAL, outcome: { ...DONE, exitCode: 2 } }, "close: Exit code 2"],
    [
      "ran a program that was killed",
      { reply: PROPOSAL, outcome: { ...DONE, exitCode: null } },
      "close: Ended by the system",
    ],
    ["wasn't valid", { outcome: { status: "failed", error: "", isInvalid: true } }, "warning: Invalid command"],
    ["was rejected by the user", { reply: PROPOSAL, outcome: REFUSED, decided: by("user") }, "refuse: Rejected by you"],
    [
      "was rejected by a rule",
      { reply: PROPOSAL, outcome: REFUSED, decided: by("rule") },
      "refuse: Rejected by a rule",
    ],
    ["was rejected", { outcome: REFUSED }, "refuse: Rejected"],
    ["finished", { reply: PROPOSAL, outcome: { status: "finished", summary: "" } }, "flag: Done"],
  ];
  for (const [what, { isResting = false, ...step }, expected] of LINES as readonly (readonly [
    string,
    { readonly isResting?: boolean },
    string,
  ])[])
    it(`says that it ${what}`, () => {
      const view = { step: 1, at: "", recalled: [], stage: "ended", ...step } as unknown as StepView;
      const line = createStepLine(view, isResting);
      assert.equal(`${line.icon}: ${write(line.summary ?? line.word)}`, expected);
    });
});
