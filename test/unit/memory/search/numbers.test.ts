import assert from "node:assert/strict";
import { PagedNumbers } from "../../../../src/memory/search/word-index.ts";

describe("a growing list of numbers", () => {
  it("keeps every number at its place, however many there are", () => {
    const [numbers, count] = [new PagedNumbers(), 200_000];
    for (let place = 0; place < count; place++) numbers.push(place);
    numbers.set(count - 1, 7);
    const places = [0, 65_535, 65_536, 131_072, count - 1, count];
    assert.deepEqual(
      [numbers.length, ...places.map((place) => numbers.get(place))],
      [count, 0, 65_535, 65_536, 131_072, 7, 0],
    );
  });
});
