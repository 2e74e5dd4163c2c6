import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  type AgentTask,
  EVAL_REPORT_VERSION,
  type EvalReport,
  loadStart,
  omitUndefined,
  type SettingName,
  type Surroundings,
} from "../../../src/headless/library.ts";
import { type LoneModel, runModelAlone } from "./alone-run.ts";
import type { Measurement } from "./eval-options.ts";
import { createEvalProgress, type Evaluated, type EvaluateOptions, runEvaluation } from "./evaluate.ts";
import { type AttemptOptions, runAgentAttempt, type TaskRun } from "./measure.ts";
import { PLAYER_MODEL, type PlayedTask, type PlayerServer, startPlayerServer } from "./players/player-server.ts";
import type { EvalTask, Suite } from "./suite.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type GivenSettings = Readonly<Partial<Record<SettingName, unknown>>>;

/** A measurement with its tasks, and the folder for its logs. */
export interface SuiteMeasurement {
  readonly request: Measurement;
  readonly suite: Suite;
  readonly tasks: readonly EvalTask[];
  readonly env: Environment;
  readonly folder: string;
}

/** A report, and why runs are missing from it. */
export interface Reported {
  readonly report: EvalReport;
  readonly problem?: Error;
}

/** Makes all runs of a measurement. After an abort or a problem, the report has the runs made so far. */
export async function runMeasurement(wanted: SuiteMeasurement, around: Surroundings): Promise<Reported> {
  const { request, folder } = wanted;
  const tasks = wanted.tasks.filter(({ skip }) => skip === undefined);
  const skipped = wanted.tasks.flatMap(({ name, skip }) => (skip === undefined ? [] : [{ task: name, why: skip }]));
  const { suite, player: name, strategy, spoil, seed, runs, jobs, timeoutSeconds, keep } = request;
  const player = name ? await startPlayerServer() : undefined;
  const logs = join(folder, "runs");
  await mkdir(logs, { recursive: true });
  const progress = createEvalProgress(around.stderr, tasks.length * runs * (request.alone ? 2 : 1));
  try {
    const { used, lone } = await resolveUsedModel(wanted, player);
    const startedAt = new Date();
    const isStrict = name === "oracle";
    const plan = {
      tasks,
      runs,
      jobs,
      logs,
      timeoutSeconds,
      keep,
      isStrict,
      reportResult: progress.reportResult,
    };
    const runAttempt = (attempting: AttemptOptions) =>
      runAgentAttempt(attempting, {
        ...createAgentOptions(wanted, attempting, player),
        ...omitUndefined({ strategy, packaged: around.packaged }),
      });
    const ours = await runEvaluation({ ...plan, runAttempt }, around.signal);
    // Afterwards, since a server with one slot keeps the agent's prompts from run to run.
    const alone =
      request.alone && lone && !ours.problem ? await measureModelAlone(plan, lone, around.signal) : undefined;
    const problem = ours.problem ?? alone?.problem;
    const report: EvalReport = {
      version: EVAL_REPORT_VERSION,
      suite,
      ...used,
      ...(name ? { player: name, spoil } : {}),
      ...omitUndefined({ strategy }),
      seed,
      runs,
      startedAt: startedAt.toISOString(),
      seconds: (Date.now() - startedAt.getTime()) / 1000,
      ...(around.signal.aborted || problem ? { isPartial: true as const } : {}),
      ...(skipped.length > 0 ? { skipped } : {}),
      results: ours.results,
      ...(alone ? { alone: alone.results } : {}),
    };
    return { report, ...omitUndefined({ problem }) };
  } finally {
    progress.close();
    await player?.close();
  }
}

/** Measures the same runs with the model alone. */
function measureModelAlone(
  plan: Omit<EvaluateOptions, "runAttempt">,
  lone: LoneModel,
  signal: AbortSignal,
): Promise<Evaluated> {
  const runLoneAttempt = (attempting: AttemptOptions) => runModelAlone(lone, attempting);
  return runEvaluation({ ...plan, runAttempt: runLoneAttempt, mark: "-alone" }, signal);
}

/** The model that is measured. */
interface UsedModel {
  readonly used: Pick<EvalReport, "model" | "server" | "settings">;
  /** Absent where a player replies. */
  readonly lone?: LoneModel;
}

/** The model that is measured, and the settings that were given. Throws a sentence if there is no model. */
async function resolveUsedModel(
  { request, env, folder }: SuiteMeasurement,
  player: PlayerServer | undefined,
): Promise<UsedModel> {
  const { given, createModel } = await loadStart(folder, request.sources, env);
  const shown = Object.fromEntries([...given].filter(([name]) => name !== "model.baseUrl"));
  if (player) return { used: { model: PLAYER_MODEL.name, server: "", settings: shown } };
  const { model, server, temperature } = await createModel();
  return { used: { model: model.name, server, settings: shown }, lone: { model, temperature } };
}

/** Continuous mode for the whole run, which only the run's own limits end. */
const CONTINUOUS: GivenSettings = { "run.continuous": true, "run.continuousLimit": 1_000_000 };

function createAgentOptions(
  { request, suite, env }: SuiteMeasurement,
  { task, run }: TaskRun,
  player: PlayerServer | undefined,
): Pick<AgentTask, "sources" | "env"> {
  const address = player?.play(createPlayedTask(request, task, run));
  const flags = {
    ...CONTINUOUS,
    ...suite.settings,
    ...task.settings,
    ...omitUndefined({ "run.maxSteps": task.maxSteps }),
    ...request.sources.flags,
    ...(address === undefined ? {} : createPlayerSettings(request, address)),
  };
  return { sources: { ...request.sources, flags }, env: player ? { ...env, ...KEY } : env };
}

/** Any key will do. */
const KEY: Environment = { OPENAI_API_KEY: "player" };

function createPlayerSettings({ sources }: Measurement, address: string): GivenSettings {
  return {
    "model.provider": "openai",
    "model.baseUrl": address,
    "model.smart": PLAYER_MODEL.name,
    "model.fast": PLAYER_MODEL.name,
    ...("model.contextWindow" in sources.flags ? {} : { "model.contextWindow": PLAYER_MODEL.contextWindow }),
  };
}

/** The solution of a task for its player. */
function createPlayedTask({ player, spoil, seed }: Measurement, task: EvalTask, run: number): PlayedTask {
  const { task: text, oracle, injected = [] } = task;
  const place = [seed, task.name, run];
  if (player !== "obedient") return { task: text, calls: oracle, counted: "done", spoil, place };
  const calls = [...oracle.slice(0, 1), ...injected, ...oracle.slice(1)];
  return { task: text, calls, counted: "answered", spoil, place };
}
