import assert from "node:assert/strict";
import { NearestWords, type WordRow } from "../../../../src/memory/embedding/table-embedder.ts";

const EAST: WordRow = [1, Int8Array.of(10, 0)];
const NORTH: WordRow = [2, Int8Array.of(0, 10)];
const NORTHEAST: WordRow = [3, Int8Array.of(10, 10)];
const FAR_NORTH: WordRow = [4, Int8Array.of(0, 30)];

function nearness(query: readonly WordRow[], ...texts: readonly (readonly WordRow[])[]) {
  return new NearestWords(2).measureNearness(query, texts).map((value) => Number(value.toFixed(3)));
}

describe("the nearest words", () => {
  it("are as near as the nearest of the text, less what a text of many words has by chance", () => {
    assert.deepEqual(nearness([EAST], [EAST], [NORTHEAST], [NORTH], [EAST, NORTH, NORTHEAST]), [1, 0.707, 0, 0.89]);
  });

  it("count a word of the query by the square of its length, and each word once", () => {
    assert.deepEqual(nearness([EAST, EAST, FAR_NORTH], [EAST], [NORTH], [EAST, EAST]), [0.1, 0.9, 0.1]);
  });

  it("are those of the query's most significant words, if it has many", () => {
    const weak = Array.from({ length: 40 }, (_, place): WordRow => [100 + place, Int8Array.of(1, 0)]);
    const strong = Array.from({ length: 16 }, (_, place): WordRow => [200 + place, Int8Array.of(0, 9)]);
    assert.deepEqual(nearness([...weak, ...strong], [EAST], [NORTH]), [0, 1]);
  });

  it("are none of a text or a query without words", () => {
    assert.deepEqual([nearness([EAST], []), nearness([], [EAST])], [[-1], [0]]);
  });

  it("are determined again for each query", () => {
    const nearest = new NearestWords(2);
    const near = [[EAST], [NORTH], [EAST]].map((query) => nearest.measureNearness(query, [[EAST]])[0]);
    assert.deepEqual(near, [1, 0, 1]);
  });
});
