import assert from "node:assert/strict";
import { appendFile, open, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SpendingReader, sumSpendingByName } from "../../../../src/runs/store/spending.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const line = (seq: number, type: string, at: string, more: object = {}): string =>
  `${JSON.stringify({ seq, at, type, ...more })}\n`;

const usage = { input: 100, output: 10 };
const LOG = [
  line(0, "started", "2026-01-02T12:00:00.000Z", { model: { smart: "a" } }),
  line(1, "replied", "2026-01-02T12:00:01.000Z", { model: "a", usage, costUsd: 0.5 }),
  line(2, "spent", "2026-01-02T12:00:02.000Z", { on: "embeddings", model: "v", usage }),
  line(3, "compacted", "2026-01-02T12:00:03.000Z", { summary: "no model" }),
  line(4, "compacted", "2026-01-03T12:00:03.000Z", { model: "b", usage, costUsd: 0.25 }),
  line(5, "replied", "2026-01-03T12:00:04.000Z", { model: "a", usage, costUsd: 0.5 }),
  line(6, "replied", "2026-01-03T12:00:04.000Z", { model: "a", costUsd: 0 }),
  line(7, "spent", "2026-01-03T12:00:05.000Z", {
    on: "agent Reader",
    run: "r",
    model: "c",
    usage,
    costUsd: 1,
  }),
  '{"seq":8,"at":"2026-01-03T12:0',
].join("");

describe("what runs have cost", () => {
  const tempFolder = tempFolders();

  it("is read from a log by day and model, summaries and vectors included, agents by their own logs, unknown prices as unknown", async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, "run.jsonl"), LOG);
    const spent = await new SpendingReader().loadSpending({ folder, writtenMs: 1, logBytes: 1 });
    assert.deepEqual(spent, [
      { day: "2026-01-02", model: "a", tokens: 110, usd: 0.5, unpriced: 0 },
      { day: "2026-01-02", model: "v", tokens: 110, usd: 0, unpriced: 1 },
      { day: "2026-01-03", model: "b", tokens: 110, usd: 0.25, unpriced: 0 },
      { day: "2026-01-03", model: "a", tokens: 110, usd: 0.5, unpriced: 0 },
    ]);
  });

  it("is added up under any name, the largest first", async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, "run.jsonl"), LOG);
    const spent = await new SpendingReader().loadSpending({ folder, writtenMs: 1, logBytes: 1 });
    assert.deepEqual(
      sumSpendingByName(spent, ({ model }) => model),
      [
        { name: "a", tokens: 220, usd: 1, unpriced: 0 },
        { name: "b", tokens: 110, usd: 0.25, unpriced: 0 },
        { name: "v", tokens: 110, usd: 0, unpriced: 1 },
      ],
    );
  });

  it("is nothing where there is no log, and the same as long as the log looks the same", async () => {
    const folder = await tempFolder();
    const reader = new SpendingReader();
    const before = await reader.loadSpending({ folder, writtenMs: 1, logBytes: 0 });
    await writeFile(join(folder, "run.jsonl"), LOG);
    const [same, grown] = [
      await reader.loadSpending({ folder, writtenMs: 1, logBytes: 0 }),
      await reader.loadSpending({ folder, writtenMs: 1, logBytes: LOG.length }),
    ];
    assert.deepEqual([before, same, grown.length], [[], [], 4]);
  });
});

describe("what a run in progress has cost", () => {
  const tempFolder = tempFolders();
  const at = "2026-01-02T12:00:00.000Z";
  const paid = (model: string, costUsd: number): string => line(1, "replied", at, { model, usage, costUsd });

  /** A log that was read with these lines, and how it can be read again. */
  async function readLog(text: string) {
    const path = join(await tempFolder(), "run.jsonl");
    await writeFile(path, text);
    const reader = new SpendingReader();
    let looks = 0;
    const costs = async () => {
      looks++;
      const spent = await reader.loadSpending({ folder: dirname(path), writtenMs: looks, logBytes: 0 });
      return spent.map(({ model, usd }) => `${model} ${usd}`);
    };
    await costs();
    return { path, costs };
  }

  it("is read on from where it was left, and what was read is not read again", async () => {
    const { path, costs } = await readLog(paid("a", 0.5));
    const file = await open(path, "r+");
    await file.write(paid("a", 0.9));
    await file.close();
    await appendFile(path, paid("b", 0.25));
    assert.deepEqual(await costs(), ["a 0.5", "b 0.25"]);
  });

  it("counts a line once it is whole, and once", async () => {
    const { path, costs } = await readLog(`${paid("a", 0.5)}${paid("b", 0.25).slice(0, 60)}`);
    await appendFile(path, paid("b", 0.25).slice(60));
    assert.deepEqual(
      [await costs(), await costs()],
      [
        ["a 0.5", "b 0.25"],
        ["a 0.5", "b 0.25"],
      ],
    );
  });

  it("is read from the start when the log has shrunk, and when another one is in its place", async () => {
    const { path, costs } = await readLog(`${paid("a", 0.5)}${paid("a", 0.5)}`);
    await writeFile(path, paid("b", 0.25));
    const shrunk = await costs();
    await writeFile(`${path}.new`, `${paid("c", 0.125)}${paid("c", 0.125)}`);
    await rename(`${path}.new`, path);
    assert.deepEqual([shrunk, await costs()], [["b 0.25"], ["c 0.25"]]);
  });

  it("is the same for all who ask at a time while it grows", async () => {
    const { path, costs } = await readLog(paid("a", 0.5));
    await appendFile(path, paid("b", 0.25));
    assert.deepEqual(await Promise.all([costs(), costs(), costs()]), Array(3).fill(["a 0.5", "b 0.25"]));
  });
});
