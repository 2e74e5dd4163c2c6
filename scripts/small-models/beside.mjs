import fs from "node:fs";
import path from "node:path";
import { buildAgentModelRows } from "../../packages/evals/src/report/beside.ts";
import { SUITES } from "../../packages/evals/src/suites.ts";
import { runNode } from "../setup/node-program.mjs";
import { MEASURED } from "./runs.mjs";

/** The suites that a model is measured on, with the number of tasks: the first ones, or all. */
export const SUITE_COUNTS = { small: undefined, robust: undefined, edits: 32 };

const SEED = 1;

/** Measures the agent beside the model alone on a suite, one task after the other. Returns the report; undefined if no task was chosen. */
export async function measuredBeside({ server, model, suite, only, count, timeout, set, folder }) {
  const tasks = await chosenTasks(suite, only, count);
  if (tasks.length === 0) return undefined;
  fs.rmSync(folder, { recursive: true, force: true });
  const { code } = await runNode([
    ...["src/headless.ts", "eval", "--suite", suite, "--compare", "alone", "--jobs", "1"],
    ...["--seed", String(SEED), "--report", folder, "--timeout", String(timeout)],
    ...["--base-url", server.url, "--model", model.name, "--fast-model", model.name],
    ...["--set", `model.contextWindow=${model.window}`, "--set", "model.temperature=0"],
    ...["--sandbox", "confined"],
    ...tasks.flatMap((name) => ["--task", name]),
    ...set.flatMap((setting) => ["--set", setting]),
  ]);
  if (!MEASURED.includes(code)) throw new Error(`autogpt eval ended with code ${code}. See its message above.`);
  return JSON.parse(fs.readFileSync(path.join(folder, "results.json"), "utf8"));
}

/** Names of the tasks to measure, without those that this machine can't run. */
async function chosenTasks(suite, only, count = SUITE_COUNTS[suite]) {
  const { loadTasks: tasks } = await SUITES[suite]();
  const possible = (await tasks({ seed: SEED })).filter(({ skip }) => skip === undefined);
  const names = possible.map(({ name }) => name);
  return only.length > 0 ? names.filter((name) => only.includes(name)) : names.slice(0, count);
}

/** Reports as one table in Markdown: a row for the model alone and one for the agent, for each suite. */
export function besideTable(reports) {
  const [[, ...titles] = []] = reports.map((report) => buildAgentModelRows(report)[0]);
  const rows = reports.flatMap((report) =>
    buildAgentModelRows(report)
      .slice(1)
      .map(([who, ...cells]) => [report.suite, who, ...cells]),
  );
  const all = [["suite", "", ...titles], ["---", ...titles.map(() => "---"), "---"], ...rows];
  return all.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
