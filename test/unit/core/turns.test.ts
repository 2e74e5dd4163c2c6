import assert from "node:assert/strict";
import { Turns } from "../../../src/core/turns.ts";

describe("things that happen in turn", () => {
  it("happen in the order they were asked for, also after one that failed", async () => {
    const [turns, seen] = [new Turns(), [] as string[]];
    const first = Promise.withResolvers<void>();
    const asked = [
      turns.take(async () => {
        await first.promise;
        seen.push("first");
        throw new Error("It failed.");
      }),
      turns.take(async () => seen.push("second")),
    ];
    first.resolve();
    const ends = await Promise.allSettled(asked);
    assert.deepEqual(
      [seen, ends.map(({ status }) => status)],
      [
        ["first", "second"],
        ["rejected", "fulfilled"],
      ],
    );
  });
});
