import assert from "node:assert/strict";
import type { Outcome } from "../../../../src/core/commands/outcome.ts";
import { History } from "../../../../src/core/prompt/history.ts";
import { readReply } from "../../../../src/core/reply/read-reply.ts";
import { readPromptPast } from "../../../../src/models/demo/scripted-model.ts";
import type { AgentEvent, AgentEventBody } from "../../../../src/schema/events.ts";
import { calls, says } from "../../../support/fake-model.ts";
import { sampleTail } from "../../../support/sample-run.ts";

/** The events of a step whose command came to this. */
function step(number: number, format: "tools" | "text", args: object, outcome: Outcome): AgentEventBody[] {
  const said = format === "tools" ? calls("read_file", args, `c${number}`) : says("read_file", args);
  const completion = { text: "", calls: [], finish: "stop", model: "m", ...said };
  const { text, calls: made, finish, model } = completion;
  return [
    { type: "asked", step: number, format, tail: sampleTail() },
    { type: "replied", step: number, format, text, calls: made, finish, model, reply: readReply(completion) },
    { type: "ended", step: number, outcome },
  ];
}

function historyOf(...events: readonly AgentEventBody[]): History {
  const history = new History();
  events.forEach((event, seq) => {
    const numbered: AgentEvent = { seq, at: "2026-01-01T00:00:00Z", ...event };
    history.apply(numbered);
  });
  return history;
}

const call = { name: "read_file", args: { filename: "a" } };

describe("the past in a prompt", () => {
  for (const format of ["tools", "text"] as const) {
    it(`is read back from messages in the form of ${format}`, () => {
      const history = historyOf(
        ...step(1, format, call.args, { status: "done", output: "one\ntwo" }),
        ...step(2, format, call.args, { status: "failed", error: "No such file." }),
        { type: "said", text: "Never mind.", by: "user" },
        ...step(3, format, call.args, { status: "refused", feedback: "Not that one." }),
        { type: "said", text: "Try b.", by: "user" },
      );
      assert.deepEqual(readPromptPast(history.messages(format)), {
        count: 3,
        steps: [
          { call, status: "done", text: "one\ntwo" },
          { call, status: "failed", text: "No such file." },
          { call, status: "refused", text: "Not that one." },
        ],
        said: ["Try b."],
      });
    });
  }

  it("counts the steps that are only summarized", () => {
    const history = historyOf(
      ...step(1, "tools", call.args, { status: "done", output: "one" }),
      ...step(2, "tools", call.args, { status: "done", output: "two" }),
      { type: "compacted", through: 1, summary: "1. read_file" },
    );
    assert.deepEqual(readPromptPast(history.messages("tools")).count, 2);
  });

  it("may be none", () => {
    assert.deepEqual(readPromptPast([]), { count: 0, steps: [], said: [] });
  });
});
