import assert from "node:assert/strict";
import { openPluginLog } from "../../../../src/memory/shared/plugin-log.ts";
import { MemoryError } from "../../../../src/memory/store/memory-error.ts";

describe("the log of a plugin that never answers", () => {
  it("ends what waits for it when it's closed, and is closed soon", async () => {
    const never = () => Promise.withResolvers<never>().promise;
    const log = openPluginLog({
      ...{ url: "slow:x", project: "team", author: "Ada" },
      findStore: () => ({ id: "slow", name: "Slow", open: never }),
    });
    const pulled = log.pull({ limit: 1 }).catch((error: unknown) => error);
    await log.close();
    assert.equal((await pulled) instanceof MemoryError, true);
  }).timeout(5_000);
});
