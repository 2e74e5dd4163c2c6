import assert from "node:assert/strict";
import {
  EVERYTHING,
  groupRuns,
  type ListedRun,
  type RunNode,
  type TreeView,
} from "../../../../src/editor/panel/run-groups.ts";

const NOW = new Date(2026, 0, 10, 12);

function run(
  id: string,
  more: Partial<ListedRun["summary"]> = {},
  state: ListedRun["state"] = "finished",
  goesOn = false,
): ListedRun {
  const day = Number(id.slice(0, 2));
  const summary: ListedRun["summary"] = {
    ...{ id, task: `Task ${id}`, name: "Scribe", state: "finished", steps: 1, usd: 0, unpriced: false },
    ...{ folder: "", writtenMs: 0, logBytes: 0, startedAt: new Date(2026, 0, day, 9).toISOString() },
    ...more,
  };
  return { summary, state, goesOn };
}

const RUNS = [
  run("10f", { parent: "10e" }, "thinking", true),
  run("10e"),
  run("10d", { parent: "09a" }),
  run("09a", {}, "stuck"),
  run("05b", { pinned: true, title: "The Parser" }),
  run("05a", { parent: "gone" }, "interrupted"),
];

function told(node: RunNode): string {
  return node.children.length === 0 ? node.summary.id : `${node.summary.id}(${node.children.map(told).join(" ")})`;
}

function groups(view: Partial<TreeView>, runs = RUNS): readonly string[] {
  return groupRuns(runs, { ...EVERYTHING, ...view }, NOW).map(
    ({ label, runs: nodes }) => `${label}: ${nodes.map(told).join(" ")}`,
  );
}

describe("the groups of runs", () => {
  it("have agents below the run that they work for, from the same second as well", () => {
    const runs = [
      run("10260110_030405_b", { parent: "10260110_030405_c", isAgent: true }, "thinking", true),
      run("10260110_030405_c", {}, "acting", true),
    ];
    assert.deepEqual(groups({}, runs), ["In progress: 10260110_030405_c(10260110_030405_b)"]);
  });

  it("have every run, even those that name each other as the agent's parent", () => {
    const runs = [
      run("10260110_030405_b", { parent: "10260110_030405_c", isAgent: true }, "thinking", true),
      run("10260110_030405_c", { parent: "10260110_030405_b", isAgent: true }, "thinking", true),
    ];
    assert.deepEqual(groups({}, runs), ["In progress: 10260110_030405_b 10260110_030405_c"]);
  });

  it("are days, with pinned runs at the top and forks below what they came from", () => {
    assert.deepEqual(groups({}), [
      "Pinned: 05b",
      "Today: 10e(10f)",
      "Yesterday: 09a(10d)",
      `${new Date(2026, 0, 5).toLocaleDateString(undefined, { year: "numeric", month: "long", day: "numeric" })}: 05a`,
    ]);
  });

  it("are states, with runs in progress first", () => {
    const runs = [run("10z", {}, "acting", true), ...RUNS.slice(1)];
    assert.deepEqual(groups({ by: "state" }, runs), [
      "In progress: 10z",
      "Pinned: 05b",
      "Finished: 10e",
      "Ended early: 09a(10d)",
      "Interrupted: 05a",
    ]);
  });

  it("hold only what the filter lets through", () => {
    assert.deepEqual(
      [groups({ words: "PARSER the" }), groups({ only: "interrupted", by: "state" }), groups({ words: "nowhere" })],
      [["Pinned: 05b"], ["Interrupted: 05a"], []],
    );
  });
});
