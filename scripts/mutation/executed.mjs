import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { inRoot } from "../setup/root.mjs";
import { createPool } from "./worker-process.mjs";

const CACHE = inRoot("test/host/.cache/mutation.json");
const LIMIT_MS = 60_000;

/**
 * Runs test files without mutants. Resolves with, for each that passes: its seconds, and what it executes of the
 * measured files, as ranges `[start, end, count]`. Results are kept until a file that the test loads changes.
 */
export async function executedByTests(tests, { measuredBy, closureOf, jobs, report }) {
  const known = fs.existsSync(CACHE) ? JSON.parse(fs.readFileSync(CACHE, "utf8")) : {};
  const isKnown = (test, key) => known[test]?.key === key && measuredBy(test).every((file) => known[test].ranges[file]);
  const missing = tests
    .map((test) => ({ test, key: hashOf(closureOf(test)) }))
    .filter(({ test, key }) => !isKnown(test, key));
  const pool = createPool(jobs);
  await pool.forEach(missing, async ({ test, key }, worker) => {
    const measured = measuredBy(test);
    const task = { tests: [inRoot(test)], fresh: [], measured: measured.map((file) => inRoot(file)) };
    const { failed, ranges, seconds } = await worker.run({ ...task, timeoutMs: 60_000 }, LIMIT_MS);
    if (failed !== undefined) report(`${test} fails without mutants and is left out: ${failed}`);
    known[test] = {
      key,
      failed,
      seconds,
      ranges: Object.fromEntries(measured.map((file, at) => [file, ranges?.[at] ?? []])),
    };
    fs.mkdirSync(path.dirname(CACHE), { recursive: true });
    fs.writeFileSync(CACHE, JSON.stringify(known));
  });
  pool.stop();
  return new Map(tests.filter((test) => known[test].failed === undefined).map((test) => [test, known[test]]));
}

/** True when a test with these ranges executes the place of a mutant. */
export function isExecuted(ranges, { start: position, isTopLevel }) {
  if (isTopLevel) return true;
  const around = ranges.filter(([start, end]) => start <= position && position < end);
  const [innermost] = around.sort(([a, b], [c, d]) => b - a - (d - c));
  return innermost !== undefined && innermost[0] > 0 && innermost[2] > 0;
}

function hashOf(files) {
  const hash = crypto.createHash("sha256");
  for (const file of [...files].sort()) hash.update(file).update(fs.readFileSync(inRoot(file)));
  return hash.digest("hex");
}
