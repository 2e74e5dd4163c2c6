import assert from "node:assert/strict";
import { setImmediate as untilIdle } from "node:timers/promises";
import { skipWhileRunning } from "../../../src/memory/one-at-a-time.ts";

describe("what a timer calls", () => {
  it("isn't called again until it has ended, whether it failed or not", async () => {
    const calls: PromiseWithResolvers<void>[] = [];
    const act = skipWhileRunning(() => {
      const call = Promise.withResolvers<void>();
      calls.push(call);
      return call.promise;
    });
    const counts: number[] = [];
    for (const end of [() => calls.at(-1)?.reject(new Error("slow")), () => calls.at(-1)?.resolve()]) {
      for (let tick = 0; tick < 3; tick++) act();
      counts.push(calls.length);
      end();
      await untilIdle();
    }
    assert.deepEqual(counts, [1, 2]);
  });
});
