import assert from "node:assert/strict";
import type { AgentEvent, AgentEventBody } from "../../../src/core/event.ts";
import { pastSteps } from "../../../src/core/past-steps.ts";
import type { StepView } from "../../../src/core/run-state.ts";
import { Beside, besideOf } from "../../../src/vscode/beside.ts";
import { sampleStart, sampleTail } from "../../support/sample-run.ts";

const word = (text: string): AgentEventBody => ({ type: "said", text, by: "user" });

const step = (count: number, ended = true): readonly AgentEventBody[] => [
  { type: "asked", step: count, format: "text", tail: sampleTail() },
  word(`in ${count}`),
  ...(ended ? [{ type: "ended", step: count, outcome: { status: "done", output: "" } } as const] : []),
];

function numbered(...bodies: readonly AgentEventBody[]): readonly AgentEvent[] {
  return bodies.map((body, seq) => ({ seq, at: new Date(seq * 1000).toISOString(), ...body }));
}

describe("what happened beside the steps of a page", () => {
  it("is with one page each, up to the next one, and with the last one up to now", () => {
    const bodies = [
      sampleStart(),
      ...step(1),
      word("after 1"),
      ...step(2),
      word("after 2"),
      ...step(3, false),
    ];
    const events = numbered(...bodies);
    const pages = [2, 3].map((before) => pastSteps(events, before, 1));
    assert.deepEqual(
      pages.map((page) => besideOf(events, page).map((event) => (event.type === "said" ? event.text : ""))),
      [
        ["in 1", "after 1"],
        ["in 2", "after 2", "in 3"],
      ],
    );
  });

  it("is known of a run at work without its log: the last of it, from the first step shown on", () => {
    const events = numbered(sampleStart(), word("early"), ...step(1), ...step(2), word("after 2"));
    const beside = new Beside();
    for (const event of events) beside.add(event);
    const told = (shown: readonly StepView[]) =>
      beside.from(shown).map((event) => (event.type === "said" ? event.text : ""));
    assert.deepEqual(
      [told(pastSteps(events, 3, 1)), told([])],
      [
        ["in 2", "after 2"],
        ["early", "in 1", "in 2", "after 2"],
      ],
    );
  });

  it("is not more than fits beside a page, however long the run is", () => {
    const beside = new Beside();
    for (const event of numbered(...Array.from({ length: 500 }, () => word("x")))) beside.add(event);
    assert.equal(beside.from([]).length, 60);
  });
});
