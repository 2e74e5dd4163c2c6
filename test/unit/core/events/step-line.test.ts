import assert from "node:assert/strict";
import type { StepView } from "../../../../src/core/events/run-state.ts";
import { stepLine } from "../../../../src/core/events/step-line.ts";
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
  const line = stepLine(step, true);
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
});
