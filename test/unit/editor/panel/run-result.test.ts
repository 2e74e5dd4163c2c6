import assert from "node:assert/strict";
import { collectRunResult } from "../../../../src/editor/panel/run-result.ts";
import type { AgentEvent } from "../../../../src/schema/events.ts";
import type { Outcome } from "../../../../src/schema/run-values.ts";

/** The events of a run whose steps made these calls. */
function eventsOf(
  steps: readonly (readonly [command: string, args: Readonly<Record<string, unknown>>, outcome: Outcome])[],
): readonly AgentEvent[] {
  return steps.flatMap(([command, args, outcome], index): AgentEvent[] => {
    const at = { at: "2026-01-02T03:04:05.000Z", step: index + 1 };
    return [
      { ...at, seq: 2 * index + 1, type: "began", command, args },
      { ...at, seq: 2 * index + 2, type: "ended", outcome },
    ];
  });
}

function edited(file: string, added: number, removed: number): Outcome {
  return { status: "done", output: "", files: [{ file, change: "changed", added, removed }] };
}

describe("the result of a run", () => {
  it("sums up the lines of the steps that were not undone, file by file", () => {
    const events = eventsOf([
      ["edit_file", {}, edited("a.ts", 3, 1)],
      ["edit_file", {}, edited("b.ts", 1, 0)],
      ["edit_file", {}, edited("a.ts", 2, 2)],
      ["edit_file", {}, edited("c.ts", 9, 9)],
    ]);
    assert.deepEqual(collectRunResult(events, new Set([1, 2, 3])).lines, [
      { file: "a.ts", added: 5, removed: 3 },
      { file: "b.ts", added: 1, removed: 0 },
    ]);
  });

  it("has each check once with its last result, and no other program", () => {
    const shell = (line: string, outcome: Outcome) => ["execute_shell", { command_line: line }, outcome] as const;
    const passed: Outcome = { status: "done", output: "" };
    const failed: Outcome = { ...passed, exitCode: 1 };
    const events = eventsOf([
      shell("npm test", failed),
      shell("echo latest", passed),
      shell("npx eslint .", failed),
      shell("npm test", passed),
      shell("npm test", { status: "refused", feedback: "No." }),
    ]);
    assert.deepEqual(
      collectRunResult(events, new Set()).checks.map(({ passed: isPassed }) => isPassed),
      [false, true],
    );
  });
});
