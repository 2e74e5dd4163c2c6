import assert from "node:assert/strict";
import { Queue } from "../../../../src/core/base/async.ts";

describe("things that happen in turn", () => {
  it("happen in the order they were asked for, also after one that failed", async () => {
    const [turns, seen] = [new Queue(), [] as string[]];
    const first = Promise.withResolvers<void>();
    const asked = [
      turns.add(async () => {
        await first.promise;
        seen.push("first");
        throw new Error("It failed.");
      }),
      turns.add(async () => seen.push("second")),
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
