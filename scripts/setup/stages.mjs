import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { runNode } from "./node-program.mjs";

/**
 * Runs stages, at most so many at once; each waits for those it needs, which come before it in the list. Of the stages that
 * can start, the first in the list does. A stage's output is printed in one piece when it ends. Resolves with a result for each
 * stage: its name, whether it passed, its duration in seconds, the counts of its tests, and the reason if it wasn't run.
 * All their programs share what Node has compiled, because many tests start the agent or VS Code.
 */
export async function runStages(stages, { atOnce }) {
  const compiled = fs.mkdtempSync(path.join(os.tmpdir(), "compiled-"));
  const inTurn = limitTo(atOnce);
  const results = new Map();
  for (const [place, stage] of stages.entries()) {
    const needs = (stage.needs ?? []).map((name) => results.get(name));
    const result = Promise.all(needs).then((earlier) =>
      earlier.every(({ passed }) => passed) ? inTurn(place, () => runStage(stage, compiled)) : notRun(stage),
    );
    results.set(stage.name, result);
  }
  return Promise.all(results.values()).finally(() => fs.rmSync(compiled, { recursive: true, force: true }));
}

/** A function that starts the waiting work with the lowest place first, with at most so many at once. */
function limitTo(atOnce) {
  const waiting = [];
  let free = atOnce;
  const next = () => {
    if (free === 0 || waiting.length === 0) return;
    free -= 1;
    waiting.sort((one, other) => one.place - other.place);
    const { work, resolve } = waiting.shift();
    resolve(
      work().finally(() => {
        free += 1;
        next();
      }),
    );
  };
  return (place, work) =>
    new Promise((resolve) => {
      waiting.push({ place, work, resolve });
      next();
    });
}

function notRun({ name }) {
  return { name, passed: false, seconds: 0, why: "not run: what it needs failed" };
}

async function runStage({ name, command, tests = false }, compiled) {
  process.stderr.write(`${name} …\n`);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "counts-"));
  const file = path.join(folder, "counts");
  const env = { TEST_COUNTS: file, NODE_COMPILE_CACHE: compiled };
  const { code, output, seconds } = await runNode(command, { capture: true, env });
  const counts = tests ? readCounts(file) : undefined;
  fs.rmSync(folder, { recursive: true, force: true });
  const none = counts && counts.passes + counts.failures === 0;
  console.log(`\n━━━ ${name} (${seconds.toFixed(1)} s)\n${output.trimEnd()}`);
  return { name, passed: code === 0 && !none, seconds, counts, why: none ? "no test was run" : undefined };
}

/** The sum of a line for each mocha run, and what failed in them. */
function readCounts(file) {
  const lines = fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim().split("\n").filter(Boolean) : [];
  const runs = lines.map((line) => JSON.parse(line));
  const sum = (key) => runs.reduce((total, run) => total + run[key], 0);
  return {
    passes: sum("passes"),
    failures: sum("failures"),
    pending: sum("pending"),
    failed: runs.flatMap((run) => run.failed),
  };
}
