import assert from "node:assert/strict";
import { collectKeptFacts, planCompaction, summarizeWithoutModel } from "../../../../src/core/context/compaction.ts";
import type { Episode } from "../../../../src/core/prompt/entries.ts";
import { History } from "../../../../src/core/prompt/history.ts";
import { NO_THOUGHTS } from "../../../../src/core/reply/reply.ts";
import { sampleTail } from "../../../support/sample-run.ts";

const count = (text: string): number => text.length;

/** A history of steps that each take about 100 of `count`. */
function history(steps: number): History {
  const built = new History();
  const reply = { kind: "proposal", thoughts: NO_THOUGHTS, call: { name: "x", args: {} } } as const;
  for (let step = 1; step <= steps; step++) {
    const at = { seq: 0, at: "" };
    built.apply({ ...at, type: "asked", step, format: "text", tail: sampleTail() });
    built.apply({
      ...at,
      type: "replied",
      step,
      format: "text",
      text: "r".repeat(40),
      calls: [],
      finish: "stop",
      model: "m",
      reply,
    });
    built.apply({ ...at, type: "ended", step, outcome: { status: "done", output: "o".repeat(40) } });
  }
  return built;
}

const folded = (steps: number, maxTokens: number): number | undefined =>
  planCompaction(history(steps), maxTokens, count)?.fold?.through;

describe("compaction", () => {
  const cases: [number, number, number | undefined][] = [
    [0, 0, undefined],
    [1, 0, undefined],
    [2, 0, 1],
    [5, 10_000, undefined],
    [5, 350, 2],
    [5, 0, 4],
  ];
  for (const [steps, maxTokens, through] of cases) {
    it(`folds ${through ?? "nothing"} of ${steps} steps when ${maxTokens} tokens are left`, () =>
      assert.equal(folded(steps, maxTokens), through));
  }

  const episodes = (steps: number): readonly Episode[] => history(steps).episodes;

  it("describes each folded step in a line after the earlier ones", () => {
    assert.equal(
      summarizeWithoutModel({ through: 1, entries: episodes(1) }, "0. earlier", 1000),
      `0. earlier\n1. x {} -> done: ${"o".repeat(40)}`,
    );
  });

  it("drops the oldest lines, and says so, when they are too many", () => {
    assert.equal(
      summarizeWithoutModel({ through: 2, entries: episodes(2) }, "", 70, count),
      `(the earliest steps are no longer told)\n2. x {} -> done: ${"o".repeat(40)}`,
    );
  });

  it("keeps as many of the latest unfixed failures as there is room for", () => {
    const failed = episodes(8).map((episode) => ({
      ...episode,
      reply: {
        kind: "proposal",
        thoughts: NO_THOUGHTS,
        call: { name: `look_${episode.step}`, args: {} },
      } as const,
      outcome: { status: "failed", error: "e".repeat(100) } as const,
    }));
    const { problems } = collectKeptFacts({ through: 8, entries: failed }, history(0), 250, count);
    assert.deepEqual(
      problems.map((problem) => problem.slice(0, 6)),
      ["look_7", "look_8"],
    );
  });
});
