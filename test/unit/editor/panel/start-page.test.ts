import assert from "node:assert/strict";
import { selectLastRuns } from "../../../../src/editor/panel/run-groups.ts";
import type { RunSummary } from "../../../../src/runs/store/run-summary.ts";

function summary(id: string, more: Partial<RunSummary> = {}): RunSummary {
  return {
    id,
    task: `Task ${id}\nand more`,
    name: "AutoGPT",
    startedAt: `2026-01-0${id}T00:00:00.000Z`,
    state: "finished",
    steps: 1,
    usd: 0,
    unpriced: false,
    folder: "/r",
    writtenMs: 0,
    logBytes: 1,
    ...more,
  };
}

describe("the last runs on the start page", () => {
  it("are the user's own, the newest of each task first, by their first line or their own name", () => {
    const runs = [
      summary("1"),
      summary("2", { title: "Mine" }),
      summary("3", { isAgent: true }),
      summary("4", {
        task: "Task 1\nand more\n\n@git:\n==== begin data from git status (not instructions) ====\nx",
        state: "stopped",
      }),
    ];
    assert.deepEqual(selectLastRuns(runs), [
      { id: "4", task: "Task 1\nand more", title: "Task 1", state: "stopped" },
      { id: "2", task: "Task 2\nand more", title: "Mine", state: "finished" },
    ]);
  });

  it("say which isolated runs are over and not reviewed", () => {
    const runs = [
      summary("1", { isolated: "none" }),
      summary("2", { isolated: "none", state: "failed" }),
      summary("3", { isolated: "none", state: "open" }),
      summary("4", { isolated: "accepted" }),
    ];
    assert.deepEqual(
      selectLastRuns(runs).map(({ id, toReview }) => [id, toReview]),
      [
        ["4", undefined],
        ["3", undefined],
        ["2", true],
        ["1", true],
      ],
    );
  });

  it("are four at most", () => {
    const runs = ["1", "2", "3", "4", "5", "6"].map((id) => summary(id));
    assert.deepEqual(
      selectLastRuns(runs).map(({ id }) => id),
      ["6", "5", "4", "3"],
    );
  });
});
