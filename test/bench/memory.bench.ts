// What the memory costs, next to stock Vectra, sqlite-vec and a plain scan of a typed array, in one run.
// `npm run bench memory`; figures are medians of milliseconds unless said otherwise.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { WorkspaceMemory } from "../../src/memory/workspace-memory.ts";
import { bothTimesOf, longestGap, median, percentile, type Times, timesOf } from "./memory/clock.ts";
import type { ColdOpening } from "./memory/cold-open.ts";
import { loadEntryPoint } from "./memory/entry-point.ts";
import { plainScan, sqliteVec, stockVectra } from "./memory/others.ts";
import { numbers, randomEmbedder, randomMemory, randomVector } from "./memory/random-memories.ts";
import { check, checkGap, exitWithChecks, table, tellMachine } from "./memory/report.ts";

const SIZES = [1_000, 10_000, 50_000];
const QUERIES = 15;
const TIMED_ADDS = 2_000;
const OPENINGS = 7;
const root = fs.mkdtempSync(path.join(os.tmpdir(), "memory-bench-"));

const { openMemory, bundle, worker } = await loadEntryPoint(root);

try {
  for (const dimensions of [256, 1536]) {
    tellMachine();
    await measureMemory(dimensions);
    await compareQueries(dimensions);
  }
  await compareInserts();
} finally {
  fs.rmSync(root, { recursive: true, force: true });
}
exitWithChecks();

async function measureMemory(dimensions: number): Promise<void> {
  const folder = path.join(root, `ours-${dimensions}`);
  const random = numbers(1);
  const store = await openMemory({ folder, embedder: randomEmbedder(dimensions), worker });
  const rows: string[][] = [];
  for (const size of SIZES) {
    await fill(store, size - TIMED_ADDS / 2, random);
    const start = store.state.count;
    let times: Times = { clock: [], own: [] };
    const gap = await longestGap(async () => {
      times = await bothTimesOf(TIMED_ADDS, (round) => store.add([randomMemory(start + round, random)]));
      await store.waitUntilEmbedded();
    });
    rows.push([
      String(size),
      show(median(times.clock)),
      show(percentile(times.clock, 0.99)),
      show(percentile(times.own, 0.99)),
      show(gap.clock),
      show(gap.own),
    ]);
    check(`add p99 at ${size} x ${dimensions}`, percentile(times.clock, 0.99), 1);
    checkGap(`${TIMED_ADDS} adds at ${size} x ${dimensions}`, gap, 20);
  }
  table(`Add, ${dimensions} dimensions`, ["memories", "p50", "p99", "of our own", "longest gap", "of our own"], rows);
  await measureRecall(store, dimensions);
  await store.close();
  measureOpening(folder, dimensions);
}

async function fill(store: WorkspaceMemory, size: number, random: () => number): Promise<void> {
  while (store.state.count < size) {
    const first = store.state.count;
    await store.add(
      Array.from({ length: Math.min(250, size - first) }, (_, index) => randomMemory(first + index, random)),
    );
    await store.waitUntilEmbedded();
  }
}

async function measureRecall(store: WorkspaceMemory, dimensions: number): Promise<void> {
  const random = numbers(3);
  const { signal } = new AbortController();
  const ask = () => store.recall(randomMemory(-1, random).text, { count: 10, maxTokens: 1500, signal });
  await timesOf(5, ask);
  let times: Times = { clock: [], own: [] };
  const gap = await longestGap(async () => {
    times = await bothTimesOf(QUERIES, ask);
  });
  table(
    `Recall of 10, ${store.state.count} x ${dimensions}, meaning and words, embedding excluded`,
    ["p50", "of our own", "p99", "longest gap", "of our own"],
    [[median(times.clock), median(times.own), percentile(times.clock, 0.99), gap.clock, gap.own].map(show)],
  );
  check(`recall p50 at 50,000 x ${dimensions}`, median(times.clock), dimensions === 256 ? 20 : 60);
  checkGap(`a recall at 50,000 x ${dimensions}`, gap, 20);
}

/** Each time in a program of its own: nothing of the memory has been read, compiled or kept. */
function measureOpening(folder: string, dimensions: number): void {
  const script = path.join(import.meta.dirname, "memory/cold-open.ts");
  const rounds = Array.from(
    { length: OPENINGS },
    (): ColdOpening =>
      JSON.parse(
        execFileSync(process.execPath, [script, bundle, worker, folder, String(dimensions)], {
          encoding: "utf8",
        }),
      ),
  );
  const middle = (read: (opening: ColdOpening) => number) => median(rounds.map(read));
  const gap = { own: middle((one) => one.gap.own), clock: middle((one) => one.gap.clock) };
  const [answered, embedded] = [middle((one) => one.answered), middle((one) => one.embedded)];
  table(
    `Cold open, ${SIZES.at(-1)} x ${dimensions}`,
    ["open", "of our own", "answers by words", "by vectors", "the first time", "longest gap", "of our own", "MB"],
    [
      [
        middle((one) => one.opened),
        middle((one) => one.openedOwn),
        answered,
        embedded,
        rounds[0]?.embedded ?? Number.NaN,
        gap.clock,
        gap.own,
        middle((one) => one.megabytes),
      ].map(show),
    ],
  );
  check(`cold open to an answer by words at 50,000 x ${dimensions}`, answered, 300);
  check(`cold open to an answer by vectors at 50,000 x ${dimensions}`, embedded, 1500);
  checkGap(`opening 50,000 x ${dimensions}`, gap, 20);
}

async function compareQueries(dimensions: number): Promise<void> {
  const size = SIZES.at(-1) ?? 0;
  const plain = plainScan(dimensions, size);
  const sqlite = sqliteVec(path.join(root, `sqlite-${dimensions}.db`), dimensions, size);
  const { VectorMatrix } = await import("../../src/memory/search/vector-matrix.ts");
  const ours = new VectorMatrix<number>(dimensions);
  for (let row = 0; row < size; row++) ours.append(row, plain.row(row));
  const random = numbers(11);
  const query = randomVector(dimensions, random);
  const times = { ours: [] as number[], plain: [] as number[], sqlite: [] as number[] };
  for (let round = 0; round < QUERIES; round++) {
    times.ours.push(...(await timesOf(1, () => ours.findNearest(query, 10))));
    times.plain.push(...(await timesOf(1, () => plain.nearest(query, 10))));
    if (sqlite) times.sqlite.push(...(await timesOf(1, () => sqlite.nearest(query, 10))));
  }
  sqlite?.close();
  table(
    `Nearest 10 of ${size} x ${dimensions}, vectors alone`,
    ["this memory", "plain typed array", "sqlite-vec"],
    [[show(median(times.ours)), show(median(times.plain)), sqlite ? show(median(times.sqlite)) : "not installed"]],
  );
  check(`nearest at ${size} x ${dimensions}, in plain scans`, median(times.ours) / median(times.plain), 1.3);
}

async function compareInserts(): Promise<void> {
  const rows: string[][] = [];
  for (const dimensions of [512, 1536]) {
    for (const size of [1_000, 10_000]) {
      const index = await stockVectra(path.join(root, `vectra-${dimensions}-${size}`), dimensions, size);
      const inserts = await timesOf(10, () => index.insert());
      const queries = await timesOf(5, () => index.query());
      rows.push([String(size), String(dimensions), show(median(inserts)), show(median(queries))]);
    }
  }
  table("Stock Vectra (protobuf), 10 inserts", ["memories", "dimensions", "insert", "query"], rows);
}

function show(value: number): string {
  return value < 10 ? value.toFixed(3) : value.toFixed(1);
}
