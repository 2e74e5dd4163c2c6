import assert from "node:assert/strict";
import { NO_FACTS } from "../../../../src/headless/batch/attempt-log.ts";
import { findWorstEnd, rankWays, renderBatchReport } from "../../../../src/headless/batch/batch-report.ts";
import type { AttemptRow } from "../../../../src/schema/fleet/batches.ts";

function row(line: number, way: number, more: Partial<AttemptRow> = {}): AttemptRow {
  const attempt = `${line}.${way}`;
  const plain = { attempt, name: `line ${line}`, line, way, folder: "/work", state: "ended" } as const;
  return { ...plain, ...NO_FACTS, run: `run-${attempt}`, ...more };
}

describe("the report of a batch", () => {
  it("compares the ways of a task: finished, checked, fewest failed tests, cheapest", () => {
    const rows = [
      row(1, 1, { end: "finished", usd: 1, failedTests: 2 }),
      row(1, 2, { end: "finished", usd: 3, failedTests: 0 }),
      row(1, 3, { end: "stuck", usd: 0.1, failedTests: 0 }),
      row(1, 4, { end: "finished", usd: 2, failedTests: 0, check: 0 }),
      row(1, 5, { end: "finished", usd: 0.1, failedTests: 0, check: 1 }),
      row(2, 1, { end: "finished" }),
    ];
    assert.deepEqual(
      [...rankWays(rows)],
      [
        ["1.4", 1],
        ["1.2", 2],
        ["1.1", 3],
        ["1.5", 4],
        ["1.3", 5],
      ],
    );
  });

  it("names the worst end for scripts", () => {
    const worst = [
      findWorstEnd([row(1, 1, { end: "finished" })]),
      findWorstEnd([row(1, 1, { end: "finished" }), row(2, 1, { end: "budget" })]),
      findWorstEnd([row(1, 1, { state: "pending" })]),
      findWorstEnd([row(1, 1, { end: "stuck" }), row(2, 1, { end: "limit" })]),
      findWorstEnd([row(1, 1, { end: "provider" }), row(2, 1, { end: "stuck" })]),
      findWorstEnd([row(1, 1, { state: "waiting" })]),
    ];
    assert.deepEqual(worst, ["finished", "exhausted", "exhausted", "stuck", "failed", "failed"]);
  });

  it("is a table, with questions and results, and nothing of others ends its cell or begins markup", () => {
    const attempts = [
      row(1, 1, {
        end: "finished",
        steps: 4,
        usd: 0.5,
        seconds: 61,
        files: 2,
        added: 3,
        removed: 1,
        failedTests: 0,
        check: 0,
      }),
      row(2, 1, { name: "a | <b>", state: "waiting", question: "Use ```?\nyes" }),
      row(3, 1, { end: "provider", why: "It is\nbusy | now." }),
    ];
    const times = { startedAt: "2026-01-02T03:04:05Z", updatedAt: "2026-01-02T03:14:05Z" };
    const report = { version: 1, place: "ssh:box", ...times, budgetUsd: 2, spentUsd: 0.5, attempts } as const;
    assert.deepEqual(renderBatchReport(report).split("\n"), [
      "# Many runs",
      "",
      "1 of 3 finished, 1 ended otherwise, 1 waiting for you. $0.5000 of $2.00 spent, on ssh:box. Begun 2026-01-02T03:04:05Z, as of 2026-01-02T03:14:05Z.",
      "",
      "| task | way | model | state | steps | cost | time | changes | tests | run |",
      "|---|---|---|---|---|---|---|---|---|---|",
      "| line 1 |  |  | finished | 4 | $0.5000 | 61 s | 2 files, +3 −1 | check passed, tests passed | run-1.1 |",
      "| a \\| \\<b\\> |  |  | waits for you |  |  |  |  |  | run-2.1 |",
      "| line 3 |  |  | provider |  |  |  |  |  | run-3.1 |",
      "",
      "## Waiting for you",
      "",
      "a \\| \\<b\\>: answer with `autogpt fleet decide run-2.1 yes`, `no` or words.",
      "",
      "````",
      "Use ```?",
      "yes",
      "````",
      "",
      "",
      "## Why",
      "",
      "- line 3, way 1: It is busy \\| now.",
      "",
      "## To bring a result here",
      "",
      "Then `autogpt runs changes RUN` and `autogpt runs accept RUN`, as for any isolated run.",
      "",
      "```",
      "autogpt fleet fetch run-1.1 --on ssh:box --workspace '/work'",
      "```",
      "",
    ]);
  });
});
