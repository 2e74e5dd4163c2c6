import assert from "node:assert/strict";
import { collectShellLines } from "../../../../src/editor/panel/isolated-reviews.ts";
import type { AgentEvent, AgentEventBody } from "../../../../src/schema/events.ts";
import type { Outcome } from "../../../../src/schema/run-values.ts";

function shell(step: number, line: string, outcome: Outcome): readonly AgentEventBody[] {
  return [
    { type: "began", step, command: "execute_shell", args: { command_line: line } },
    { type: "ended", step, outcome },
  ];
}

describe("the command lines of an isolated run", () => {
  it("have their exit codes, and none where the program was killed or didn't start", () => {
    const bodies = [
      ...shell(1, "npm test", { status: "done", output: "", exitCode: 1 }),
      ...shell(2, "npm test\u200b", { status: "done", output: "" }),
      ...shell(3, "sleep 9", { status: "done", output: "", exitCode: null }),
      ...shell(4, "nothing", { status: "failed", error: "There is no shell." }),
      { type: "began", step: 5, command: "read_file", args: { filename: "a" } } as const,
      { type: "ended", step: 5, outcome: { status: "done", output: "" } } as const,
    ];
    const events = bodies.map((body, seq): AgentEvent => ({ seq, at: "", ...body }));
    assert.deepEqual(collectShellLines(events), {
      lines: [
        { line: "npm test", code: 1 },
        { line: "npm test⟨U+200B⟩", code: 0 },
        { line: "sleep 9" },
        { line: "nothing" },
      ],
      lineCount: 4,
    });
  });
});
