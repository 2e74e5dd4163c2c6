import assert from "node:assert/strict";
import type { RunLog } from "../../src/core/ports/storage.ts";
import type { AgentEvent } from "../../src/schema/events.ts";

/** A kind of log under test: a log, opened anew each time on the same place, and what the place holds. */
export interface LogPlace {
  open(): Promise<RunLog>;
  stored(): Promise<readonly AgentEvent[]>;
}

const said = (seq: number, text = `word ${seq}`): AgentEvent => ({
  seq,
  at: "2026-01-02T03:04:05.000Z",
  type: "said",
  text,
  by: "user",
});

const NASTY = 'quotes " and \\ and \n line ends, \u2028, 字, 😀, \u0000';

/** What every run log promises. */
export function runLogContract(name: string, place: () => Promise<LogPlace>): void {
  describe(`${name} as a run log`, () => {
    it("holds every event it was given, in their order", async () => {
      const { open, stored } = await place();
      const log = await open();
      for (let seq = 0; seq < 20; seq++) await log.append(said(seq));
      await log.close();
      assert.deepEqual(
        await stored(),
        Array.from({ length: 20 }, (_, seq) => said(seq)),
      );
    });

    it("returns each event as it is stored", async () => {
      const { open, stored } = await place();
      const log = await open();
      const given = [await log.append(said(0, NASTY)), await log.append(said(1))];
      await log.close();
      assert.deepEqual(given, await stored());
    });

    it("keeps the order of events that do not wait for one another", async () => {
      const { open, stored } = await place();
      const log = await open();
      await Promise.all(Array.from({ length: 50 }, (_, seq) => log.append(said(seq, "x".repeat(seq * 100)))));
      await log.close();
      assert.deepEqual(
        (await stored()).map(({ seq }) => seq),
        Array.from({ length: 50 }, (_, seq) => seq),
      );
    });

    it("takes several events at once, between single ones", async () => {
      const { open, stored } = await place();
      const log = await open();
      const several = [said(1, NASTY), said(2, NASTY)];
      const given = await Promise.all([log.append(said(0)), log.appendAll?.(several), log.append(said(3))]);
      await log.close();
      const again = await open();
      await again.append(said(4));
      await again.close();
      assert.deepEqual(await stored(), [...given.flat(), said(4)]);
    });

    it("continues where it ended when it is reopened", async () => {
      const { open, stored } = await place();
      for (let seq = 0; seq < 3; seq++) {
        const log = await open();
        await log.append(said(seq));
        await log.close();
      }
      assert.deepEqual(await stored(), [said(0), said(1), said(2)]);
    });

    it("can be synced at any time, by many at once, with nothing new to sync", async () => {
      const { open, stored } = await place();
      const log = await open();
      await log.sync();
      await log.append(said(0));
      await Promise.all([log.sync(), log.append(said(1)), log.sync(), log.sync()]);
      await log.sync();
      await log.close();
      assert.deepEqual(await stored(), [said(0), said(1)]);
    });
  });
}
