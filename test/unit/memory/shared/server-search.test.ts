import assert from "node:assert/strict";
import { MemoryIndex } from "../../../../src/memory/search/memory-index.ts";
import { ServerSearch } from "../../../../src/memory/shared/server-search.ts";
import type { SharedHit } from "../../../../src/memory/shared/shared-log.ts";

const VECTOR = Float32Array.of(1, 0);

/** A server's memories, closest first: steps of runs, and one note behind them. */
function hits(steps: number): readonly SharedHit[] {
  return Array.from({ length: steps + 1 }, (_, place) => ({
    cosine: 0.9 - place / 100,
    item: {
      author: "Ada",
      id: `id-${place}`,
      kind: place < steps ? "episode" : "note",
      text: `memory ${place}`,
      source: "a run",
      at: "2026-01-02T03:04:05.000Z",
    },
  }));
}

describe("a search with a team's server", () => {
  for (const [what, steps, found] of [
    ["finds what a filter wants behind what it doesn't want", 7, ["memory 7"]],
    ["doesn't ask for everything, however little a filter wants", 8, []],
  ] as const)
    it(what, async () => {
      const search = new ServerSearch(new MemoryIndex("table"), "table", () => false);
      search.use({ findNearest: async (_query, count) => hits(steps).slice(0, count) });
      const near = await search.findNearest(VECTOR, 2, { kind: "note" });
      assert.deepEqual(
        near.map(({ value }) => value.read().text),
        found,
      );
    });

  it("doesn't show a memory that is here already, nor one with an impossible cosine", async () => {
    const [first, second, third] = hits(2);
    if (!first || !second || !third) throw new Error("There are three.");
    const search = new ServerSearch(new MemoryIndex("table"), "table", (id) => id === second.item.id);
    search.use({ findNearest: async () => [{ ...first, cosine: Number.NaN }, second, third] });
    const near = await search.findNearest(VECTOR, 5);
    assert.deepEqual(
      near.map(({ value, score }) => [value.read().text, score]),
      [["memory 2", third.cosine]],
    );
  });
});
