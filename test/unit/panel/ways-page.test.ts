import assert from "node:assert/strict";
import { waysPage } from "../../../src/panel/ways-page.ts";
import type { WayResult } from "../../../src/runtime/isolated/ways.ts";

const FIGURES = { usd: 0.5, unpriced: 0, steps: 4, milliseconds: 90_000 };

describe("the page that compares ways", () => {
  it("shows the figures, the check and what became of each", () => {
    const results: readonly WayResult[] = [
      {
        ...{
          label: "one",
          run: "r-1",
          state: "done",
          check: { code: 0, output: "", seconds: 1 },
          ...FIGURES,
        },
        changes: { files: 1, added: 2, removed: 3 },
      },
      { label: "two", run: "r-2", state: "done", check: { output: "", seconds: 600 }, ...FIGURES },
      { label: "three\u202e", state: "failed", problem: "The disk is full.", ...FIGURES },
    ];
    const ways = { results: () => results, onChange: () => () => undefined, done: Promise.resolve(results) };
    const runs = {
      get: (id: string) => (id === "r-1" ? { run: { state: { review: { what: "accepted" } } } } : undefined),
    };
    const shown = { usd: 0.5, unpriced: 0, steps: 4, minutes: 1.5 };
    assert.deepEqual(waysPage({ task: "Tidy up", check: "npm test", ways }, runs as never), {
      task: "Tidy up",
      check: "npm test",
      ways: [
        {
          ...{ label: "one", run: "r-1", state: "done", check: 0, ...shown },
          changes: { files: 1, added: 2, removed: 3 },
          review: "accepted",
        },
        { label: "two", run: "r-2", state: "done", check: null, ...shown },
        { label: "three⟨U+202E⟩", state: "failed", problem: "The disk is full.", ...shown },
      ],
    });
  });

  it("is empty before anything was started", () => {
    assert.deepEqual(waysPage(undefined, { get: () => undefined }), { task: "", ways: [] });
  });
});
