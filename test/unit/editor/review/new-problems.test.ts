import assert from "node:assert/strict";
import type { Problem } from "../../../../src/core/ports/workspace.ts";
import { findNewProblems } from "../../../../src/editor/review/new-problems.ts";

function problem(line: number, message: string): Problem {
  return { label: "a.ts", line, severity: "error", message, source: "ts" };
}

describe("problems that are new", () => {
  it("are not those whose line has moved", () => {
    assert.deepEqual(findNewProblems([problem(3, "No x.")], [problem(7, "No x."), problem(8, "No y.")]), [
      problem(8, "No y."),
    ]);
  });

  it("are those that are there more often than before", () => {
    const after = [problem(1, "No x."), problem(2, "No x."), problem(3, "No x.")];
    assert.deepEqual(findNewProblems([problem(9, "No x.")], after), [problem(2, "No x."), problem(3, "No x.")]);
  });

  it("are not others when one is gone", () => {
    assert.deepEqual(findNewProblems([problem(1, "No x."), problem(2, "No y.")], [problem(2, "No y.")]), []);
  });
});
