// Measures the agent with real weights: runs the tasks of the suite `small` with each small model behind llama.cpp's Python server, in
// each window, until the model has given enough replies. --help lists the options.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { figureLines, figuresOf, missed } from "../small-models/figures.mjs";
import { preparePython, weightsOf } from "../small-models/python.mjs";
import { measuredRuns } from "../small-models/runs.mjs";
import { startServer } from "../small-models/server.mjs";
import { MODELS, WINDOWS } from "../small-models/weights.mjs";

const HELP = `npm run eval:small-models -- [options]

  --model NAME    only this model, of ${MODELS.map(({ name }) => name).join(", ")}; may be repeated
  --window N      only this window, of ${WINDOWS.join(", ")}; may be repeated
  --replies N     at least so many replies of each model (200)
  --count N       only so many tasks
  --set NAME=VAL  any setting of the agent, like memory.enabled=false; may be repeated
  --threads N     threads of the server (the machine's cores)
  --report DIR    where results and logs go (in the cache folder)
  --cache DIR     where Python, the server and the weights are kept (~/.cache/autogpt-small-models)
`;

const { values } = parseArgs({
  options: {
    model: { type: "string", multiple: true, default: MODELS.map(({ name }) => name) },
    window: { type: "string", multiple: true, default: WINDOWS.map(String) },
    replies: { type: "string", default: "200" },
    count: { type: "string" },
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
      await using server = await startServer({ python, model, weights, window, threads, log });
      const folder = path.join(report, name);
      const { count, set } = values;
      runs.push(...(await measuredRuns({ server, model, window, count, set, folder })));
      fs.writeFileSync(path.join(report, `${model.name}.json`), JSON.stringify(runs, null, 1));
      console.log(figureLines(model, runs).join("\n"));
    }
  return runs;
}

if (values.help) process.stdout.write(HELP);
else {
  const cache = path.resolve(values.cache);
  const report = path.resolve(values.report ?? path.join(cache, "report"));
  fs.mkdirSync(report, { recursive: true });
  const chosen = MODELS.filter(({ name }) => values.model.includes(name));
  const python = preparePython(cache, chosen);
  for (const model of chosen) {
    const misses = missed(figuresOf(await measuredModel(model, { python, cache, report })));
    for (const miss of misses) console.error(`${model.name}: ${miss}`);
    if (misses.length > 0) process.exitCode = 1;
  }
  console.log(`All replies and logs are in ${report}.`);
}
