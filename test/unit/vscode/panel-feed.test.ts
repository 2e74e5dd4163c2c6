import assert from "node:assert/strict";
import type { AgentEvent, AgentEventBody } from "../../../src/core/event.ts";
import { pastSteps } from "../../../src/core/past-steps.ts";
import { besideOf } from "../../../src/vscode/panel-feed.ts";
import { sampleStart, sampleTail } from "../../support/sample-run.ts";

const word = (text: string): AgentEventBody => ({ type: "said", text, by: "user" });

const step = (count: number, ended = true): readonly AgentEventBody[] => [
  { type: "asked", step: count, format: "text", tail: sampleTail() },
  word(`in ${count}`),
  ...(ended ? [{ type: "ended", step: count, outcome: { status: "done", output: "" } } as const] : []),
];

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
    const events = bodies.map((body, seq): AgentEvent => ({ seq, at: "2026-01-02T03:04:05.000Z", ...body }));
    const pages = [2, 3].map((before) => pastSteps(events, before, 1));
    assert.deepEqual(
      pages.map((page) => besideOf(events, page).map((event) => (event.type === "said" ? event.text : ""))),
      [
        ["in 1", "after 1"],
        ["in 2", "after 2", "in 3"],
      ],
    );
  });
});
