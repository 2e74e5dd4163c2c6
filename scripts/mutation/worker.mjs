// One long-lived process that runs test files against mutants. The parent sends {tests, fresh, mutated, measured,
// timeoutMs} and gets {failed, seconds, executed} back, one at a time.
import { Session } from "node:inspector/promises";
import { pathToFileURL } from "node:url";
import Mocha from "mocha";
import { startRound } from "./fresh-modules.mjs";
import "../../test/support/property-seed.ts";

const session = new Session();
session.connect();
let isMeasuring = false;

/** Counts what is executed. It slows everything down, and sees only what is loaded afterwards. */
async function startMeasuring() {
  if (isMeasuring) return;
  isMeasuring = true;
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
}

/** What a mutant leaves behind may fail at any time: that is nobody's test. */
for (const event of ["uncaughtException", "unhandledRejection"]) process.on(event, () => {});

/** Runs one test file and resolves with the title of the first test that failed. */
async function runTests(file, timeout) {
  const mocha = new Mocha({ ui: "bdd", bail: true, reporter: class {}, timeout, color: false });
  try {
    mocha.suite.emit("pre-require", globalThis, file, mocha);
    await import(pathToFileURL(file).href);
  } catch (error) {
    return `(while loading) ${error.message}`;
  }
  return new Promise((resolve) => {
    let failed;
    mocha
      .run(() => resolve(failed))
      .on("fail", (test) => {
        failed ??= test.fullTitle();
      });
  });
}

/** Runs a test file and finds out which parts of the `measured` files it executes: ranges with their counts. */
async function executedBy(test, measured, timeout) {
  await session.post("Profiler.takePreciseCoverage");
  const failed = await runTests(test, timeout);
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const functions = new Map(result.map((script) => [script.url, script.functions]));
  const ranges = measured.map((file) =>
    (functions.get(pathToFileURL(file).href) ?? []).flatMap((each) =>
      each.ranges.map(({ startOffset, endOffset, count }) => [startOffset, endOffset, count]),
    ),
  );
  return { failed, ranges };
}

process.on("message", async ({ tests, fresh, mutated, measured, timeoutMs }) => {
  startRound(fresh, mutated);
  const began = performance.now();
  if (measured) await startMeasuring();
  const answer = { failed: undefined, ranges: undefined };
  for (const test of tests) {
    if (measured) Object.assign(answer, await executedBy(test, measured, timeoutMs));
    else answer.failed = await runTests(test, timeoutMs);
    if (answer.failed !== undefined) {
      answer.by = test;
      break;
    }
  }
  process.send({ ...answer, seconds: (performance.now() - began) / 1000 });
});
process.send({ ready: true });
