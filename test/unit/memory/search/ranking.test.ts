import assert from "node:assert/strict";
import { fuse } from "../../../../src/memory/search/ranking.ts";

describe("joining two rankings", () => {
  it("puts first what both have first, with the highest score there is", () => {
    const [best] = fuse([{ value: "a", score: 0.9 }], [{ value: "a", coverage: 1 }]);
    assert.deepEqual(best, {
      value: "a",
      score: 1,
      meaning: { rank: 1, cosine: 0.9 },
      words: { rank: 1, coverage: 1 },
    });
  });

  it("believes a chance word less than a meaning", () => {
    const fused = fuse(
      [
        { value: "meant", score: 0.5 },
        { value: "other", score: 0.4 },
      ],
      [{ value: "chance", coverage: 0.1 }],
    );
    assert.deepEqual(
      fused.map(({ value }) => value),
      ["meant", "other", "chance"],
    );
  });

  it("keeps what is meant most before what is meant less and shares a few words", () => {
    const fused = fuse(
      [
        { value: "meant", score: 0.6 },
        { value: "other", score: 0.5 },
        { value: "chance", score: 0.4 },
      ],
      [{ value: "chance", coverage: 0.3 }],
    );
    assert.deepEqual(
      fused.map(({ value }) => value),
      ["meant", "chance", "other"],
    );
  });

  it("goes by words alone where there is no meaning", () => {
    const fused = fuse(
      [],
      [
        { value: "a", coverage: 0.5 },
        { value: "b", coverage: 0.5 },
      ],
    );
    assert.deepEqual(
      fused.map(({ value }) => value),
      ["a", "b"],
    );
  });
});
