import assert from "node:assert/strict";
import { addReviews, createWaysPage, restoreWaysPage } from "../../../../src/editor/panel/ways-page.ts";
import type { WayResult } from "../../../../src/runtime/isolated/ways.ts";
import type { ShownWay } from "../../../../src/schema/review-page.ts";

const FIGURES = { usd: 0.5, unpriced: 0, steps: 4, milliseconds: 90_000 };

describe("the page that compares ways", () => {
  it("shows the figures and the check of each", () => {
    const results: readonly WayResult[] = [
      {
        ...{
          label: "one",
          run: "r-1",
          state: "done",
          check: { code: 0, output: "4 passing", seconds: 1 },
          ...FIGURES,
        },
        changes: { files: 1, added: 2, removed: 3 },
      },
      { label: "two", run: "r-2", state: "done", check: { output: "", seconds: 600 }, ...FIGURES },
      { label: "three\u202e", state: "failed", problem: "The disk is full.", ...FIGURES },
    ];
    const ways = { results: () => results, onChange: () => () => undefined, done: Promise.resolve(results) };
    const shown = { usd: 0.5, unpriced: 0, steps: 4, minutes: 1.5 };
    assert.deepEqual(createWaysPage({ task: "Tidy up", check: "npm test", ways }), {
      task: "Tidy up",
      check: "npm test",
      ways: [
        {
          ...{ label: "one", run: "r-1", state: "done", check: 0, output: "4 passing", ...shown },
          changes: { files: 1, added: 2, removed: 3 },
        },
        { label: "two", run: "r-2", state: "done", check: null, output: "", ...shown },
        { label: "three⟨U+202E⟩", state: "failed", problem: "The disk is full.", ...shown },
      ],
    });
  });

  it("shows after a reload which ways have ended meanwhile, what became of them, and which can't be opened", () => {
    const way = (run: string, state: ShownWay["state"]): ShownWay => {
      return { run, label: run, state, usd: 0, unpriced: 0, steps: 1, minutes: 1 };
    };
    const page = {
      task: "Tidy up",
      ways: [way("r-1", "done"), way("r-2", "running"), way("r-3", "checking"), way("gone", "done")],
    };
    const runs = [
      { id: "r-1", state: "finished", isolated: "accepted" },
      { id: "r-2", state: "open", isolated: "none" },
      { id: "r-3", state: "finished", isolated: "none" },
    ] as const;
    assert.deepEqual(
      addReviews(restoreWaysPage(page, runs), runs).ways.map(({ label, run, state, review }) => [
        ...[label, run, state, review],
      ]),
      [
        ["r-1", "r-1", "done", "accepted"],
        ["r-2", "r-2", "interrupted", undefined],
        ["r-3", "r-3", "done", undefined],
        ["gone", undefined, "done", undefined],
      ],
    );
  });
});
