// How often the right note is among the first five, and what a vector of the table costs: the tables of docs/memory.md.
// `npm run bench recall`
import { realEncoder } from "../support/encoder.ts";
import { measureRecall } from "../support/recall-quality.ts";
import { shippedTable } from "../support/shipped-table.ts";
import { check, exitWithChecks, table } from "./memory/report.ts";

const SETS = ["questions.tsv", "questions-further.tsv", "questions-close.tsv"];
const ROUNDS = 100;
const NOTE = "The nightly job copies the orders to the warehouse at two, and tells the team by mail when it fails. ";
/** 254 tokens, to which the encoder adds two. */
const WINDOW = `${NOTE.repeat(11)}one two three four five six seven eight nine ten eleven twelve`;
const { signal } = new AbortController();

const encoder = await realEncoder();
const embedders = { table: shippedTable(), encoder };
const [at1, at5] = [await measureRecall(embedders, SETS, 1), await measureRecall(embedders, SETS, 5)];
const encoded = await fastest(() => encoder.embed([WINDOW], signal));
await encoder.close?.();

for (const [place, set] of SETS.entries()) {
  const rows = [...(at5[place] ?? [])].map(([mode, share]) => [
    mode,
    share.toFixed(2),
    (at1[place]?.get(mode) ?? 0).toFixed(2),
  ]);
  table(set, ["found by", "recall@5", "recall@1"], rows);
}

const chosenBy = ["questions-development.tsv"];
const [development] = await measureRecall({ table: embedders.table }, chosenBy, 5, "notes-development.tsv");
table(
  "questions-development.tsv, by which the ranking is chosen",
  ["found by", "recall@5"],
  [...(development ?? [])].map(([mode, share]) => [mode, share.toFixed(2)]),
);

const opening = await fastest(() => shippedTable().embed(["first"], signal));
const open = shippedTable();
const long = NOTE.repeat(20);
const each = await fastest(() => open.embed([long], signal));
table(
  `the best of ${ROUNDS} rounds`,
  ["", "ms"],
  [
    ["opening the table", opening.toFixed(2)],
    ["a memory of 400 tokens by the table", each.toFixed(3)],
    ["256 tokens by the encoder", encoded.toFixed(1)],
  ],
);

for (const [place, set] of ["questions.tsv", "questions-further.tsv"].entries()) {
  check(`${set}: 0.58 less the table alone`, 0.58 - (at5[place]?.get("table") ?? 0), 0);
  check(`${set}: 0.62 less the table and words`, 0.62 - (at5[place]?.get("table and words") ?? 0), 0);
}
check("close questions that the table and words miss", 1 - (at5[2]?.get("table and words") ?? 0), 0.001);
check("encoder and words, 0.87 less", 0.87 - (at5[0]?.get("encoder and words") ?? 0), 0);
check("ms for a memory of 400 tokens", each, 1);
check("ms for 256 tokens by the encoder", encoded, 60);
exitWithChecks();

/** The milliseconds of the fastest round: other programs only ever add to it. */
async function fastest(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return Math.min(...times);
}
