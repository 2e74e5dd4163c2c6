import assert from "node:assert/strict";
import { ModelError } from "../../../src/core/ports/model.ts";
import { createErrorEnd, getExitCode, type ProgramEnd } from "../../../src/headless/exit-code.ts";
import { UsageError } from "../../../src/headless/usage-error.ts";

describe("the program's exit code", () => {
  const ends: readonly (readonly [string, ProgramEnd, number])[] = [
    ["0 for a finished run", { kind: "run", end: { reason: "finished", summary: "" } }, 0],
    ["1 for a crashed run", { kind: "run", end: { reason: "crashed", error: "" } }, 1],
    ["2 for an exhausted run", { kind: "run", end: { reason: "exhausted", limit: "usd" } }, 2],
    ["3 for a stuck run", { kind: "run", end: { reason: "stuck", why: "" } }, 3],
    ["4 for a failed run", { kind: "run", end: { reason: "failed", error: "" } }, 4],
    ["130 for a stopped run", { kind: "run", end: { reason: "stopped" } }, 130],
    ["3 for a batch with a stuck run at worst", { kind: "batch", worst: "stuck" }, 3],
    ["0 for a measurement that all runs passed", { kind: "measured", allPassed: true }, 0],
    ["2 for a measurement that some didn't pass", { kind: "measured", allPassed: false }, 2],
    ["0 for a review that found nothing", { kind: "reviewed", findings: 0, isIncomplete: false }, 0],
    ["5 for a review that found something", { kind: "reviewed", findings: 1, isIncomplete: false }, 5],
    ["4 for a review that couldn't see all", { kind: "reviewed", findings: 1, isIncomplete: true }, 4],
    ["0 for what was done without a run", { kind: "done" }, 0],
    ["4 for what is said in a sentence", { kind: "problem" }, 4],
    ["1 for a bug", { kind: "bug" }, 1],
    ["130 for a signal", { kind: "stopped" }, 130],
  ];
  for (const [name, end, code] of ends) it(`is ${name}`, () => assert.equal(getExitCode(end), code));
});

describe("an error at the top of the program", () => {
  it("is a bug, a sentence for people, or what a signal did", () => {
    assert.deepEqual(
      {
        bug: createErrorEnd(new TypeError("x is undefined"), false),
        range: createErrorEnd(new RangeError("invalid length"), false),
        reference: createErrorEnd(new ReferenceError("x"), false),
        usage: createErrorEnd(new UsageError("No."), false),
        model: createErrorEnd(new ModelError("setup", "No key."), false),
        stopping: createErrorEnd(new TypeError("x is undefined"), true),
      },
      {
        bug: { kind: "bug" },
        range: { kind: "bug" },
        reference: { kind: "bug" },
        usage: { kind: "problem" },
        model: { kind: "problem" },
        stopping: { kind: "stopped" },
      },
    );
  });
});
