import assert from "node:assert/strict";
import { SharedByCopy } from "../../../../src/isolation/walls/shared-by-copy.ts";

describe("what the run and the agents of a copy share", () => {
  /** Keeps a log of what is opened, by the first user's way, and closed. The first try to open can fail. */
  function shared(failures = 0) {
    const log: string[] = [];
    let left = failures;
    const all = new SharedByCopy<string>(async (name) => void log.push(`close ${name}`));
    const enter = (copy: string, name: string) =>
      all.enter(copy, async () => {
        log.push(`open ${name}`);
        if (left-- > 0) throw new Error("busy");
        return name;
      });
    return { log, enter };
  }

  it("is opened once, the way of the first, and closed when the last one leaves, however often one says so", async () => {
    const { log, enter } = shared();
    const run = enter("/copy", "run");
    const agent = enter("/copy", "agent");
    const opened = [await agent.openShared(), await run.openShared()];
    await run.leave();
    await run.leave();
    const before = [...log];
    await agent.leave();
    assert.deepEqual(
      { opened, before, after: log },
      { opened: ["run", "run"], before: ["open run"], after: ["open run", "close run"] },
    );
  });

  it("belongs to one copy, and is opened again for the next user of it", async () => {
    const { log, enter } = shared();
    const [one, other] = [enter("/one", "one"), enter("/other", "other")];
    await Promise.all([one.openShared(), other.openShared()]);
    await one.leave();
    const next = enter("/one", "next");
    await next.openShared();
    assert.deepEqual(log, ["open one", "open other", "close one", "open next"]);
  });

  it("is tried again after it couldn't be opened, and not closed if it never was", async () => {
    const { log, enter } = shared(1);
    const run = enter("/copy", "run");
    const failed = await run.openShared().catch((error: Error) => error.message);
    const opened = await run.openShared();
    await run.leave();
    await enter("/copy", "never").leave();
    assert.deepEqual(
      { failed, opened, log },
      { failed: "busy", opened: "run", log: ["open run", "open run", "close run"] },
    );
  });
});
