import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { HostedRuns } from "../../../src/editor/panel/hosted-runs.ts";
import type { RunSummary } from "../../../src/runs/store/run-summary.ts";
import { RunsTree } from "../../../src/vscode/views/runs-tree.ts";
import { until } from "./workspace-files.ts";

const RUN: RunSummary = {
  ...{ id: "20260102_030405_reader_0001", folder: "/runs/one", startedAt: "2026-01-02T03:04:05.000Z" },
  ...{ name: "Reader", task: "Read the notes.", state: "finished", steps: 2, usd: 0.5, unpriced: false },
  ...{ writtenMs: 0, logBytes: 0 },
};

/** A tree that shows these runs, what it tells of changes, and how often it has looked for them. */
async function treeOf(...runs: RunSummary[]) {
  const seen = { changes: 0, looks: 0 };
  const library = {
    list: async () => {
      seen.looks++;
      return [...runs];
    },
  };
  const tree = new RunsTree(new HostedRuns(), library, {
    sent: { all: [], isRemoved: () => false },
    lists: { places: [] },
  });
  const changed = () => void seen.changes++;
  await tree.listItems(undefined, changed);
  return { tree, seen, runs, changed };
}

describe("the tree of runs", () => {
  it("is not requested again while it looks the same", async () => {
    const { tree, seen, runs } = await treeOf(RUN);
    runs[0] = { ...RUN, logBytes: 9_000 };
    tree.refresh();
    await setImmediate();
    assert.deepEqual(seen, { changes: 0, looks: 2 });
  });

  it("is requested again once when a run looks different, however often that happens in the meantime", async () => {
    const { tree, seen, runs, changed } = await treeOf(RUN);
    runs[0] = { ...RUN, steps: 3 };
    tree.refresh();
    await until("the change is told", () => seen.changes === 1);
    runs[0] = { ...RUN, steps: 4 };
    tree.refresh();
    const [group] = await tree.listItems(undefined, changed);
    const [item] = await tree.listItems(group, changed);
    assert.deepEqual([seen.changes, item?.description], [1, "Finished · 4 steps · $0.50"]);
  });

  it("says which isolated runs are over and not reviewed", async () => {
    const { tree, changed } = await treeOf(
      { ...RUN, isolated: "none" },
      { ...RUN, id: "20260102_030404_reader_0002", isolated: "none", state: "paused" },
    );
    const [group] = await tree.listItems(undefined, changed);
    assert.deepEqual(
      (await tree.listItems(group, changed)).map(({ description }) => description),
      ["Changes to review · Finished · 2 steps · $0.50", "In a copy · Paused · 2 steps · $0.50"],
    );
  });

  it("offers to start where there are no runs, and to end a filter that nothing matches", async () => {
    const empty = await treeOf();
    const filtered = await treeOf(RUN);
    filtered.tree.show({ ...filtered.tree.view, words: "nothing like it" });
    const rows = async ({ tree, changed }: typeof empty) =>
      (await tree.listItems(undefined, changed)).map(({ label, command }) => `${label}: ${command?.command ?? ""}`);
    assert.deepEqual(
      [await rows(empty), await rows(filtered)],
      [
        ["No runs in this folder yet: ", "Start agent: autogpt.startAgent", "Try the demo: autogpt.tryDemo"],
        ["No runs match the filter: ", "Show all runs: autogpt.clearRunFilter"],
      ],
    );
  });
});
