import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  assertNever,
  createOutput,
  type EvalReport,
  escapeInvisible,
  findNearestName,
  isEvalReport,
  type Output,
  type ProgramEnd,
  type Surroundings,
  tryJson,
  UsageError,
} from "../../../src/headless/library.ts";
import { type EvalRequest, type Measurement, readEvalOptions, renderEvalUsage } from "./eval-options.ts";
import { runMeasurement } from "./measurement.ts";
import { renderAgentModelText } from "./report/beside.ts";
import { renderComparisonHtml, renderComparisonText } from "./report/comparison.ts";
import { renderReportHtml } from "./report/report-html.ts";
import { renderReport } from "./report/report-text.ts";
import type { EvalTask } from "./suite.ts";
import { SUITES } from "./suites.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** `autogpt eval …`: measures a model on a suite, compares reports, or lists suites. Throws a sentence when that can't be done. */
export async function runEvalCommand(
  argv: readonly string[],
  env: Environment,
  around: Surroundings,
): Promise<ProgramEnd> {
  const request = parseOptions(argv, env);
  const out = createOutput(around.stdout, () => undefined);
  try {
    return await executeRequest(request, env, around, out);
  } finally {
    await out.waitUntilFlushed();
  }
}

function parseOptions(argv: readonly string[], env: Environment): EvalRequest {
  try {
    return readEvalOptions(argv, env);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new Error(`${error.message}\nautogpt eval --help lists the options.`);
  }
}

async function executeRequest(
  request: EvalRequest,
  env: Environment,
  around: Surroundings,
  out: Output,
): Promise<ProgramEnd> {
  switch (request.kind) {
    case "help":
      out.writeLine(renderEvalUsage().trimEnd());
      return { kind: "done" };
    case "list":
      await list(request, out);
      return { kind: "done" };
    case "compare":
      await compare(request, out);
      return { kind: "done" };
    case "measure":
      return measure(request, env, around, out);
    default:
      return assertNever(request);
  }
}

async function list({ suite, ...options }: Extract<EvalRequest, { kind: "list" }>, out: Output): Promise<void> {
  for (const [name, load] of Object.entries(SUITES)) {
    if (suite !== undefined && suite !== name) continue;
    const loaded = await load();
    out.writeLine(`${name}: ${loaded.description}`);
    const tasks = await loaded.loadTasks(options).catch((error: Error) => error.message);
    if (typeof tasks === "string") out.writeLine(`  ${escapeInvisible(tasks)}`);
    else for (const task of tasks) out.writeLine(`  ${task.name}`);
  }
}

async function compare(
  { before, after, report }: Extract<EvalRequest, { kind: "compare" }>,
  out: Output,
): Promise<void> {
  const one = await loadReport(before);
  const other = await loadReport(after);
  if (!one || !other) return;
  out.writeLine(escapeInvisible(renderComparisonText(one, other)));
  if (report === undefined) return;
  await createReportFolder(report);
  await writeFile(join(report, "index.html"), renderComparisonHtml(one, other));
  out.writeLine(`\nThe comparison is in ${join(report, "index.html")}.`);
}

/** The report in a folder. Throws a sentence if there is none. */
async function loadReport(folder: string): Promise<EvalReport> {
  const path = join(folder, "results.json");
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined)
    throw new Error(`There is no report in ${folder}: it has no results.json. Name the DIR of --report DIR.`);
  const read = tryJson(text);
  if (!isEvalReport(read))
    throw new Error(`${path} isn't a report of this version of AutoGPT. Measure again to compare.`);
  return read;
}

async function measure(request: Measurement, env: Environment, around: Surroundings, out: Output): Promise<ProgramEnd> {
  const load = SUITES[request.suite];
  if (!load) throw new Error(`There is no suite ${request.suite}.`);
  const suite = await load();
  const tasks = chooseTasks(await suite.loadTasks(request), request);
  if (request.report !== undefined) await createReportFolder(request.report);
  const folder = request.report ?? (await mkdtemp(join(tmpdir(), "autogpt-eval-report-")));
  try {
    const { report, problem } = await runMeasurement({ request, suite, tasks, env, folder }, around);
    if (problem && report.results.length === 0) throw problem;
    out.writeLine(escapeInvisible(`${renderReport(report)}${renderAgentModelText(report)}`));
    if (request.report !== undefined) {
      await writeFile(join(folder, "results.json"), `${JSON.stringify(report, undefined, 2)}\n`);
      await writeFile(join(folder, "index.html"), renderReportHtml(report));
      out.writeLine(`\nThe report is in ${join(folder, "index.html")}.`);
    }
    if (problem) throw problem;
    if (around.signal.aborted) return { kind: "stopped" };
    return { kind: "measured", allPassed: report.results.every(({ passed }) => passed) };
  } finally {
    if (request.report === undefined) await rm(folder, { recursive: true, force: true });
  }
}

function chooseTasks(tasks: readonly EvalTask[], { only, suite, count }: Measurement): readonly EvalTask[] {
  const names = tasks.map(({ name }) => name);
  const missing = only.find((name) => !names.includes(name));
  if (missing !== undefined) {
    const near = findNearestName(missing, names);
    throw new Error(
      `The suite ${suite} has no task "${missing}". ${near ? `Did you mean ${near}?` : "--list lists its tasks."}`,
    );
  }
  return tasks.filter(({ name }) => only.length === 0 || only.includes(name)).slice(0, count);
}

/** The names in a report's folder. */
const REPORT_NAMES = ["results.json", "index.html", "runs"];

/** Makes the folder of a report. Throws a sentence if it has a report already, or something else that would be overwritten. */
async function createReportFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const names = await readdir(folder);
  if (names.includes("results.json"))
    throw new Error(`${folder} has a report already. Name another folder with --report, or delete this one.`);
  const taken = REPORT_NAMES.find((name) => names.includes(name));
  if (taken !== undefined)
    throw new Error(`${folder} has ${taken}, which a report would overwrite. Name another folder with --report.`);
}
