// Measures the agent with real weights. Two tiny models do the tasks of the suite `small` behind llama.cpp's Python server, in each window, until
// they have given enough replies. A model that can code does several suites behind llama.cpp's own server, beside the same model alone.
// --help lists the options.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { besideTable, measuredBeside, SUITE_COUNTS } from "../small-models/beside.mjs";
import { figureLines, figuresOf, missed } from "../small-models/figures.mjs";
import { prepareLlamaServer } from "../small-models/llama-server.mjs";
import { preparePython, weightsOf } from "../small-models/python.mjs";
import { measuredRuns } from "../small-models/runs.mjs";
import { startLlamaServer, startPythonServer } from "../small-models/server.mjs";
import { CODER, MODELS, WINDOWS } from "../small-models/weights.mjs";

const NAMES = [...MODELS, CODER].map(({ name }) => name);
const SUITE_NAMES = Object.keys(SUITE_COUNTS);

const HELP = `npm run eval:small-models -- [options]

  --model NAME    only this model, of ${NAMES.join(", ")}; may be repeated
  --count N       only so many tasks of a suite
  --set NAME=VAL  any setting of the agent, like memory.enabled=false; may be repeated
  --threads N     threads of the server (the machine's cores)
  --report DIR    where results and logs go (in the cache folder)
  --cache DIR     where Python, the servers and the weights are kept (~/.cache/autogpt-small-models)

Of ${MODELS.map(({ name }) => name).join(" and ")}:
  --window N      only this window, of ${WINDOWS.join(", ")}; may be repeated
  --replies N     at least so many replies of each model (200)

Of ${CODER.name}, beside the model alone:
  --suite NAME    only this suite, of ${SUITE_NAMES.join(", ")}; may be repeated
  --only NAME     only this task; may be repeated
  --timeout N     seconds for a task (90)
AUTOGPT_LLAMA_SERVER and AUTOGPT_GGUF name a llama-server and weights that are there already.
`;

const { values } = parseArgs({
  options: {
    model: { type: "string", multiple: true, default: NAMES },
    window: { type: "string", multiple: true, default: WINDOWS.map(String) },
    replies: { type: "string", default: "200" },
    count: { type: "string" },
    suite: { type: "string", multiple: true, default: SUITE_NAMES },
    only: { type: "string", multiple: true, default: [] },
    timeout: { type: "string", default: "90" },
    set: { type: "string", multiple: true, default: [] },
    threads: { type: "string", default: String(os.availableParallelism()) },
    report: { type: "string" },
    cache: { type: "string", default: path.join(os.homedir(), ".cache", "autogpt-small-models") },
    help: { type: "boolean" },
  },
});

/** Makes rounds over the windows until there are enough replies, and stores what there is after each. */
async function measuredModel(model, { python, cache, report }) {
  const weights = weightsOf(model, python, cache);
  const runs = [];
  const enough = () => runs.flatMap(({ replies }) => replies).length >= Number(values.replies);
  for (let round = 1; round === 1 || !enough(); round++)
    for (const window of values.window.map(Number)) {
      if (round > 1 && enough()) break;
      const name = `${model.name}-${window}-${round}`;
      const log = path.join(report, `${name}.log`);
      const threads = Number(values.threads);
      await using server = await startPythonServer({ python, model, weights, window, threads, log });
      const folder = path.join(report, name);
      const { count, set } = values;
      runs.push(...(await measuredRuns({ server, model, window, count, set, folder })));
      fs.writeFileSync(path.join(report, `${model.name}.json`), JSON.stringify(runs, null, 1));
      console.log(figureLines(model, runs).join("\n"));
    }
  return runs;
}

/** Measures the tiny models by the shares of their replies that can be read and are valid. */
async function measureTiny(chosen, cache, report) {
  const python = preparePython(cache, chosen);
  for (const model of chosen) {
    const misses = missed(figuresOf(await measuredModel(model, { python, cache, report })));
    for (const miss of misses) console.error(`${model.name}: ${miss}`);
    if (misses.length > 0) process.exitCode = 1;
  }
}

/** Measures the model that can code on each suite. Where its parts can't be had, a sentence says so and it's skipped. */
async function measureCoder(cache, report) {
  const parts = await prepareLlamaServer(cache, CODER).catch(({ message }) => message);
  if (typeof parts === "string") return console.log(`${CODER.name} is skipped: ${parts}`);
  const { suite: suites, only, set } = values;
  const count = values.count === undefined ? undefined : Number(values.count);
  const { window } = CODER;
  const reports = [];
  for (const suite of suites) {
    const folder = path.join(report, `${CODER.name}-${suite}`);
    const log = `${folder}.log`;
    // A server of its own, so that each suite begins with an empty cache.
    const threads = Number(values.threads);
    await using server = await startLlamaServer({ ...parts, model: CODER, window, threads, log });
    const timeout = Number(values.timeout);
    const measured = await measuredBeside({ server, model: CODER, suite, only, count, timeout, set, folder });
    if (measured) reports.push(measured);
  }
  if (reports.length === 0) return console.log("No suite has a task of these names.");
  const table = besideTable(reports);
  fs.writeFileSync(path.join(report, `${CODER.name}.md`), `${table}\n`);
  console.log(`\n${table}`);
}

/** What is wrong with a list of names, as a sentence; undefined if all are known. */
function strangerIn(flag, given, known) {
  const stranger = given.find((name) => !known.includes(name));
  return stranger && `--${flag} takes ${known.join(", ")}, not "${stranger}".`;
}

const problem = strangerIn("model", values.model, NAMES) ?? strangerIn("suite", values.suite, SUITE_NAMES);
if (values.help) process.stdout.write(HELP);
else if (problem) {
  console.error(problem);
  process.exitCode = 4;
} else {
  const cache = path.resolve(values.cache);
  const report = path.resolve(values.report ?? path.join(cache, "report"));
  fs.mkdirSync(report, { recursive: true });
  const tiny = MODELS.filter(({ name }) => values.model.includes(name));
  if (tiny.length > 0) await measureTiny(tiny, cache, report);
  if (values.model.includes(CODER.name)) await measureCoder(cache, report);
  console.log(`All replies and logs are in ${report}.`);
}
