import assert from "node:assert/strict";
import {
  createBranchName,
  createFileName,
  EVERYTHING,
  groupRuns,
  type ListedRun,
  orderForPick,
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

describe("runs on other machines", () => {
  it("are a group of their own below those in progress, whatever their state", () => {
    const far = { ...run("08a", {}, "elsewhere"), machine: "box" };
    const near = run("10a", {}, "thinking", true);
    const groups = groupRuns([{ ...run("07a"), machine: "box" }, far, near], EVERYTHING, NOW);

    assert.deepEqual(
      groups.map(({ label, runs }) => [label, ...runs.map(({ summary }) => summary.id)]),
      [
        ["In progress", "10a"],
        ["Fleet", "07a", "08a"],
      ],
    );
  });
});

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

describe("runs to pick one from", () => {
  it("begin with the shown one, and end with those of sub-agents", () => {
    const runs = [run("10d", { isAgent: true, parent: "10c" }), run("10c"), run("10b"), run("10a")];
    const order = (shown: string | undefined): string =>
      orderForPick(
        runs.map(({ summary }) => summary),
        shown,
      )
        .map(({ id }) => id)
        .join(" ");

    assert.deepEqual(
      { none: order(undefined), shown: order("10b"), agent: order("10d") },
      { none: "10c 10b 10a 10d", shown: "10b 10c 10a 10d", agent: "10d 10c 10b 10a" },
    );
  });
});

describe("a name after a run's title", () => {
  const ID = "20261128_023049_autogpt_0c43";
  const TITLES = ["Format money helper", "Größe: ../../x; rm -rf ~", "a".repeat(60), "金額の書式", "CON", "-x.lock"];

  it("is short and valid for a file on every system, and that of the run where the title has no letters for it", () => {
    assert.deepEqual(
      TITLES.map((title) => createFileName(title, ID)),
      ["format-money-helper", "gro-e-x-rm-rf", "a".repeat(40), ID, ID, "x-lock"],
    );
  });

  it("is valid for a branch, and no other run's", () => {
    assert.deepEqual(
      TITLES.map((title) => createBranchName(title, ID)),
      [
        "autogpt/format-money-helper-0c43",
        "autogpt/gro-e-x-rm-rf-0c43",
        `autogpt/${"a".repeat(40)}-0c43`,
        "autogpt/run-0c43",
        "autogpt/con-0c43",
        "autogpt/x-lock-0c43",
      ],
    );
  });
});
