import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { PanelUpdate } from "../../src/schema/panel-messages.ts";
import { panels } from "./support/browser.ts";
import { StagedRun } from "./support/staged-run.ts";

const STEPS = 2_000;
const WARM_UP = 200;
const AT_ONCE = 100;
const MB = 1024 * 1024;

/** Bytes of the page's heap and listeners and nodes in it, after a collection. */
async function used(
  page: Page,
): Promise<{ readonly bytes: number; readonly listeners: number; readonly nodes: number }> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize: bytes } = await session.send("Runtime.getHeapUsage");
  const { jsEventListeners: listeners, nodes } = await session.send("Memory.getDOMCounters");
  await session.detach();
  return { bytes, listeners, nodes };
}

describe("a panel that is open for very many steps", function () {
  this.timeout(180_000);
  const open = panels();

  it("does not grow", async () => {
    const { page, send } = await open();
    const run = new StagedRun();
    await send(...run.opening());
    const play = async (count: number): Promise<void> => {
      for (let done = 0; done < count; done += AT_ONCE) {
        const from = run.events.length;
        for (let step = 0; step < AT_ONCE; step++)
          run.step({
            thoughts: { text: "A thought. ".repeat(30) },
            outcome: { status: "done", output: "line\n".repeat(40) },
          });
        await send(...run.events.slice(from).map((event): PanelUpdate => ({ type: "event", run: run.id, event })));
      }
    };
    await play(WARM_UP);
    const before = await used(page);
    await play(STEPS - WARM_UP);
    const after = await used(page);
    const grown = after.bytes - before.bytes;
    console.log(
      `      ${(grown / MB).toFixed(1)} MB, ${after.listeners - before.listeners} listeners, ${after.nodes - before.nodes} nodes more`,
    );
    assert.deepEqual(
      { small: grown < 50 * MB, listeners: after.listeners < 1.5 * before.listeners + 50 },
      { small: true, listeners: true },
    );
  });
});
