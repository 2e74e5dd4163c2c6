import assert from "node:assert/strict";
import { KeyedQueue } from "../../../../src/core/base/async.ts";

describe("turns", () => {
  it("come one after the other, also after one that failed", async () => {
    const turns = new KeyedQueue();
    const happened: string[] = [];
    const gate = Promise.withResolvers<void>();

    const first = turns.run("a", async () => {
      await gate.promise;
      happened.push("first");
      throw new Error("No.");
    });
    const second = turns.run("a", async () => void happened.push("second"));
    const other = turns.run("b", async () => void happened.push("other"));
    await other;
    gate.resolve();
    await Promise.allSettled([first, second]);

    assert.deepEqual(happened, ["other", "first", "second"]);
  });
});
