import assert from "node:assert/strict";
import { appendFile, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CostLedger } from "../../../../src/runs/store/cost-ledger.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const COST = { folder: "/a", model: "m", tokens: 100, usd: 0.5, unpriced: 0 };

describe("the ledger of costs", () => {
  const tempFolder = tempFolders();

  it("adds up what several programs spend, by day, folder and model, and the month of the local date", async () => {
    const folder = await tempFolder();
    const clock = { now: new Date(2026, 9, 31, 23, 59) };
    const ledgers = [new CostLedger(folder, () => clock.now), new CostLedger(folder, () => clock.now)] as const;
    await ledgers[0].add(COST);
    clock.now = new Date(2026, 10, 1, 0, 1);
    await Promise.all([ledgers[0].add(COST), ledgers[1].add(COST), ledgers[1].add({ ...COST, folder: "/b", usd: 1 })]);
    clock.now = new Date(2026, 10, 2, 12);
    await ledgers[1].add(COST);
    const found = {
      soFar: await ledgers[0].measure("none"),
      list: (await ledgers[0].list("2026-11-01"))
        .map(({ day, folder: where, usd }) => `${day} ${where} ${usd}`)
        .toSorted(),
    };
    assert.deepEqual(found, {
      soFar: { day: 0.5, month: 2.5, held: 0 },
      list: ["2026-11-01 /a 1", "2026-11-01 /b 1", "2026-11-02 /a 0.5"],
    });
  });

  it("counts for each announced call those that were announced before it and aren't over", async () => {
    const folder = await tempFolder();
    const clock = { now: new Date(2026, 10, 2, 12) };
    const ledgers = [new CostLedger(folder, () => clock.now), new CostLedger(folder, () => clock.now)] as const;
    const abandoned = await ledgers[1].hold(8);
    clock.now = new Date(2026, 10, 2, 12, 30);
    const [first, second] = [await ledgers[0].hold(1), await ledgers[1].hold(2)];
    const before = { first: await ledgers[0].measure(first), second: await ledgers[1].measure(second) };
    await ledgers[0].add(COST, [first]);
    const after = await ledgers[1].measure(second);
    assert.deepEqual(
      { abandoned: typeof abandoned, before, after },
      {
        abandoned: "string",
        before: { first: { day: 0, month: 0, held: 0 }, second: { day: 0, month: 0, held: 1 } },
        after: { day: 0.5, month: 0.5, held: 0 },
      },
    );
  });

  it("ignores damaged lines, and adds lines after a torn one", async () => {
    const folder = await tempFolder();
    const ledger = new CostLedger(folder, () => new Date(2026, 10, 2));
    await ledger.add(COST);
    const evil = JSON.stringify({ type: "spent", ...COST, usd: -5 });
    await appendFile(join(folder, "2026-11-02.jsonl"), `${evil}\nnull\n[]\n\0\n{"type":"spent","fol`);
    await ledger.add(COST);
    const soFar = await ledger.measure("none");
    assert.deepEqual(soFar, { day: 1, month: 1, held: 0 });
  });

  it("sums up the files of past days, which then say the same", async () => {
    const folder = await tempFolder();
    const old = new CostLedger(folder, () => new Date(2026, 9, 2));
    for (let count = 0; count < 20; count++) await old.add(COST, [await old.hold(1)]);
    const ledger = new CostLedger(folder, () => new Date(2026, 10, 2));
    const list = await ledger.list("2026-01-01");
    const text = await readFile(join(folder, "2026-10-02.jsonl"), "utf8");
    assert.deepEqual(
      { list, lines: text.split("\n").length - 1, again: await new CostLedger(folder).list("2026-01-01") },
      { list, lines: 1, again: [{ ...COST, day: "2026-10-02", tokens: 2000, usd: 10 }] },
    );
  });

  it("reads a file again that another program has summed up", async () => {
    const folder = await tempFolder();
    const path = join(folder, "2026-11-02.jsonl");
    const ledger = new CostLedger(folder, () => new Date(2026, 10, 2));
    await ledger.add(COST);
    await ledger.measure("none");
    await writeFile(path, `${JSON.stringify({ type: "spent", ...COST, usd: 3 })}\n`);
    await utimes(path, 1, 1);
    const soFar = await ledger.measure("none");
    assert.deepEqual(soFar, { day: 3, month: 3, held: 0 });
  });
});
