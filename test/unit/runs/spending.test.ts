import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SpendingReader, totalsBy } from "../../../src/runs/spending.ts";
import { tempFolders } from "../../support/temp-folders.ts";

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
    const spent = await new SpendingReader().of({ folder, writtenMs: 1 });
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
    const spent = await new SpendingReader().of({ folder, writtenMs: 1 });
    assert.deepEqual(
      totalsBy(spent, ({ model }) => model),
      [
        { name: "a", tokens: 220, usd: 1, unpriced: 0 },
        { name: "b", tokens: 110, usd: 0.25, unpriced: 0 },
        { name: "v", tokens: 110, usd: 0, unpriced: 1 },
      ],
    );
  });

  it("is nothing where there is no log, and is read again once the log has grown", async () => {
    const folder = await tempFolder();
    const reader = new SpendingReader();
    const before = await reader.of({ folder, writtenMs: 1 });
    await writeFile(join(folder, "run.jsonl"), LOG);
    const [same, grown] = [
      await reader.of({ folder, writtenMs: 1 }),
      await reader.of({ folder, writtenMs: 2 }),
    ];
    assert.deepEqual([before, same, grown.length], [[], [], 4]);
  });
});
