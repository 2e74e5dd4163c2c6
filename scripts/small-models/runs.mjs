import fs from "node:fs";
import path from "node:path";
import { tryJson } from "../../src/core/base/json.ts";
import { readEvent } from "../../src/schema/readers.ts";
import { runNode } from "../setup/node-program.mjs";
import { longestPrompt, repliesIn } from "./figures.mjs";

/** Marks of a chat template around one message, at most. */
const TOKENS_PER_MESSAGE = 10;

/** The agent waits as long as a busy machine needs. */
const PATIENCE = ["--timeout", "7200", "--set", "model.timeoutSeconds=1800"];

/** Its exit codes after a whole measurement: all tasks passed, or some didn't. */
export const MEASURED = [0, 2];

/** Runs the tasks of the suite `small` once with `autogpt eval`, one after the other, and returns what their logs say. */
export async function measuredRuns({ server, model, window, count, set, folder }) {
  fs.rmSync(folder, { recursive: true, force: true });
  const { code } = await runNode([
    ...["src/headless.ts", "eval", "--suite", "small", "--jobs", "1", "--report", folder, ...PATIENCE],
    ...["--base-url", server.url, "--model", model.name, "--fast-model", model.name],
    ...["--set", `model.contextWindow=${window}`, "--sandbox", "confined"],
    ...(count === undefined ? [] : ["--count", String(count)]),
    ...set.flatMap((setting) => ["--set", setting]),
  ]);
  if (!MEASURED.includes(code)) throw new Error(`autogpt eval ended with code ${code}. See its message above.`);
  const report = path.join(folder, "results.json");
  const runs = [];
  for (const result of JSON.parse(fs.readFileSync(report, "utf8")).results)
    runs.push(await runOf(result, { server, model, window, folder }));
  return runs;
}

async function runOf({ task, end, endDetail, passed, seconds, log }, { server, model, window, folder }) {
  const lines = fs.readFileSync(path.join(folder, log), "utf8").split("\n").filter(Boolean);
  const events = lines.flatMap((line, seq) => readEvent(tryJson(line), seq) ?? []);
  const { text, messages } = longestPrompt(events);
  return {
    model: model.name,
    window,
    task,
    end,
    ...(endDetail === undefined ? {} : { endDetail }),
    passed,
    seconds,
    promptTokens: (await server.count(text)) + messages * TOKENS_PER_MESSAGE,
    replies: repliesIn(events),
  };
}
