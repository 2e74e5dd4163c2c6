// Breaks the deciding files one token at a time and runs the unit tests that execute the broken place: a mutant that
// no test notices survives. Options: --file TEXT (only files with that in their path), --sample N (mutants a file),
// --seed N, --jobs N, --all (every mutant). Exit code 1 below the wanted score.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { EQUIVALENT } from "../../test/mutation/equivalent.mjs";
import { DECIDING_FILES } from "../../test/mutation/files.mjs";
import { executedByTests, isExecuted } from "../mutation/executed.mjs";
import { mutantsOf } from "../mutation/mutants.mjs";
import { sampled } from "../mutation/sample.mjs";
import { createPool } from "../mutation/worker-process.mjs";
import { inRoot, ROOT } from "../setup/root.mjs";
import { readSources } from "../setup/source-graph.mjs";

const WANTED_SCORE = 85;
/** Test files that are tried for a mutant: the mirrored one and the nearest by imports. */
const NEAREST = 20;
/** Slower test files are left out. */
const LONGEST_TEST_SECONDS = 20;
/** No mutant gets more time than this. */
const LONGEST_MS = 60_000;

const { values } = parseArgs({
  options: {
    file: { type: "string", default: "" },
    sample: { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
    jobs: { type: "string", default: String(Math.min(os.availableParallelism(), 4)) },
    all: { type: "boolean", default: false },
  },
});
const began = performance.now();
const files = DECIDING_FILES.filter((file) => file.includes(values.file));
const graph = readSources(ROOT, ["src", "packages", "test"]);
const jobs = Number(values.jobs);
const loadedBy = Map.groupBy(
  [...graph].flatMap(([name, { loads }]) => loads.map((target) => ({ name, target }))),
  ({ target }) => target,
);
for (const [target, edges] of loadedBy)
  loadedBy.set(
    target,
    edges.map(({ name }) => name),
  );

/** A file and all that it loads. */
const closures = new Map();
function closureOf(name) {
  if (closures.has(name)) return closures.get(name);
  const seen = new Set();
  const visit = (file) => {
    if (seen.has(file) || !graph.has(file)) return;
    seen.add(file);
    graph.get(file).loads.forEach(visit);
  };
  visit(name);
  closures.set(name, seen);
  return seen;
}

/** The test files that are nearest to a file: the one of the same name first, then by the number of imports between. */
function nearestTests(file) {
  const distances = new Map([[file, 0]]);
  let front = [file];
  for (let distance = 1; front.length > 0; distance++) {
    front = front.flatMap((target) => loadedBy.get(target) ?? []).filter((name) => !distances.has(name));
    for (const name of front) distances.set(name, distance);
  }
  const distanceOf = (test) =>
    path.basename(test, ".test.ts") === path.basename(file, ".ts") ? 0 : distances.get(test);
  return [...distances.keys()]
    .filter((name) => /^(test\/(unit|contract)|packages\/[^/]+\/test)\/.*\.test\.ts$/.test(name))
    .sort((a, b) => distanceOf(a) - distanceOf(b) || closureOf(a).size - closureOf(b).size)
    .slice(0, NEAREST);
}

/** A file and all files that load it, which have to be loaded again with each of its mutants. */
function importersOf(file) {
  return [...graph.keys()].filter((name) => closureOf(name).has(file));
}

async function outcomeOf(mutant, executed, worker) {
  const tests = nearest.get(mutant.file).filter((test) => {
    const { ranges, seconds } = executed.get(test) ?? {};
    return seconds <= LONGEST_TEST_SECONDS && isExecuted(ranges[mutant.file], mutant);
  });
  if (tests.length === 0) return { ...mutant, survived: "no test executes it" };
  const text = fs.readFileSync(inRoot(mutant.file), "utf8");
  const seconds = tests.reduce((sum, test) => sum + executed.get(test).seconds, 0);
  const { failed } = await worker.run(
    {
      tests: tests.map((test) => inRoot(test)),
      fresh: importersOf(mutant.file).map((name) => inRoot(name)),
      mutated: {
        file: inRoot(mutant.file),
        text: text.slice(0, mutant.start) + mutant.replacement + text.slice(mutant.end),
      },
      timeoutMs: 10_000,
    },
    Math.min(20_000 + seconds * 3_000, LONGEST_MS),
  );
  return failed === undefined ? { ...mutant, survived: `${tests.length} test files pass` } : mutant;
}

function printFile(file, outcomes) {
  const survivors = outcomes.filter(({ survived }) => survived).sort((a, b) => a.start - b.start);
  const killed = outcomes.length - survivors.length;
  const score = outcomes.length === 0 ? 100 : (100 * killed) / outcomes.length;
  console.log(`${score.toFixed(0).padStart(4)}%  ${killed}/${outcomes.length}  ${file}`);
  for (const { line, change, survived } of survivors)
    console.log(`          ${file}:${line}  ${change}  (${survived})`);
}

const isEquivalent = ({ file, change }) => EQUIVALENT.some((known) => known.file === file && known.change === change);
const mutants = files.flatMap((file) => {
  const all = mutantsOf(file, fs.readFileSync(inRoot(file), "utf8")).map((mutant) => ({ file, ...mutant }));
  const counted = all.filter((mutant) => !isEquivalent(mutant));
  return values.all ? counted : sampled(counted, Number(values.sample), `${values.seed} ${file}`);
});
const nearest = new Map(files.map((file) => [file, nearestTests(file)]));
const tests = [...new Set([...nearest.values()].flat())];
console.log(`${mutants.length} mutants of ${files.length} files, ${tests.length} test files`);
const executed = await executedByTests(tests, {
  measuredBy: (test) => files.filter((file) => nearest.get(file).includes(test)),
  closureOf,
  jobs,
  report: console.warn,
});
const minutes = () => ((performance.now() - began) / 60_000).toFixed(1);
console.log(`The tests alone took ${minutes()} min.`);
const pool = createPool(jobs);
const outcomes = new Map(files.map((file) => [file, []]));
await pool.forEach(mutants, async (mutant, worker) => {
  const { file } = mutant;
  outcomes.get(file).push(await outcomeOf(mutant, executed, worker));
  const isWhole = outcomes.get(file).length === mutants.filter((other) => other.file === file).length;
  if (isWhole) printFile(file, outcomes.get(file));
});
pool.stop();
const killed = [...outcomes.values()].flat().filter(({ survived }) => !survived).length;
const score = (100 * killed) / mutants.length;
console.log(`${score.toFixed(1)}% of ${mutants.length} mutants noticed in ${minutes()} min (wanted: ${WANTED_SCORE}%)`);
process.exitCode = score >= WANTED_SCORE ? 0 : 1;
