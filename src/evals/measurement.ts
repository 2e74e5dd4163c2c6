import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { headlessModels } from "../headless/models.ts";
import type { RunOptions } from "../headless/options.ts";
import type { Surroundings } from "../headless/run-headless.ts";
import { keysByOrigin, serviceKeys } from "../headless/service-keys.ts";
import { loadSettings } from "../headless/settings.ts";
import { EVAL_REPORT_VERSION, type EvalReport } from "../schema/eval-report.ts";
import type { SettingName } from "../schema/settings.ts";
import type { Measurement } from "./eval-options.ts";
import { evaluated, progressOn } from "./evaluate.ts";
import { notPassed } from "./graders.ts";
import { PLAYER_MODEL, type PlayedTask, type PlayerServer, playerServer } from "./players/player-server.ts";
import type { EvalTask, Suite } from "./suite.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type GivenSettings = Readonly<Partial<Record<SettingName, unknown>>>;

/** A measurement with its tasks, and the folder that its logs go to. */
export interface SuiteMeasurement {
  readonly request: Measurement;
  readonly suite: Suite;
  readonly tasks: readonly EvalTask[];
  readonly env: Environment;
  readonly folder: string;
}

/** Makes all runs of a measurement. After an abort, the report has what was done until then. */
export async function reported(wanted: SuiteMeasurement, around: Surroundings): Promise<EvalReport> {
  const { request, tasks, folder } = wanted;
  const { suite, player: name, spoil, seed, runs, jobs, timeoutSeconds, keep } = request;
  const player = name ? await playerServer() : undefined;
  const logs = join(folder, "runs");
  await mkdir(logs, { recursive: true });
  const progress = progressOn(around.stderr, tasks.length * runs);
  try {
    const used = await modelUsed(wanted, player);
    const startedAt = new Date();
    const options = (task: EvalTask, run: number) => runOptions(wanted, task, run, player);
    const graded = name === "oracle" ? tasks.map(strictlyGraded) : tasks;
    const results = await evaluated(
      { tasks: graded, runs, jobs, logs, timeoutSeconds, keep, options, done: progress.done },
      around.signal,
    );
    return {
      ...{ version: EVAL_REPORT_VERSION, suite, ...used },
      ...(name ? { player: name, spoil } : {}),
      ...{ seed, runs, startedAt: startedAt.toISOString() },
      seconds: (Date.now() - startedAt.getTime()) / 1000,
      ...(around.signal.aborted ? { isPartial: true as const } : {}),
      results,
    };
  } finally {
    progress.close();
    await player?.close();
  }
}

/** The model that is measured, and the settings that were given. Throws a sentence if there is no model. */
async function modelUsed(
  { request, env, folder }: SuiteMeasurement,
  player: PlayerServer | undefined,
): Promise<Pick<EvalReport, "model" | "server" | "settings">> {
  const { settings, given } = await loadSettings(folder, request.sources);
  const shown = Object.fromEntries([...given].filter(([name]) => name !== "model.baseUrl"));
  if (player) return { model: PLAYER_MODEL.name, server: "", settings: shown };
  const { smart } = await headlessModels(settings, keysByOrigin(serviceKeys(settings, env))).pair(settings);
  const address = settings.model.provider === "azure" ? settings.azure.endpoint : settings.model.baseUrl;
  return { model: smart.name, server: URL.parse(address)?.origin ?? "", settings: shown };
}

/** Continuous mode lasts for the whole run; its limits are those of the run. */
const CONTINUOUS: GivenSettings = { "run.continuous": true, "run.continuousLimit": 1_000_000 };

function runOptions(
  { request, suite, env }: SuiteMeasurement,
  task: EvalTask,
  run: number,
  player: PlayerServer | undefined,
): Pick<RunOptions, "yesTo" | "sources" | "env"> {
  const address = player?.play(played(request, task, run));
  const flags = {
    ...CONTINUOUS,
    ...suite.settings,
    ...task.settings,
    ...(task.maxSteps === undefined ? {} : { "run.maxSteps": task.maxSteps }),
    ...request.sources.flags,
    ...(address === undefined ? {} : playerSettings(request, address)),
  };
  return { yesTo: [], sources: { ...request.sources, flags }, env: player ? { ...env, ...KEY } : env };
}

/** Any key will do. */
const KEY: Environment = { OPENAI_API_KEY: "player" };

function playerSettings({ sources }: Measurement, address: string): GivenSettings {
  return {
    "model.provider": "openai",
    "model.baseUrl": address,
    "model.smart": PLAYER_MODEL.name,
    "model.fast": PLAYER_MODEL.name,
    ...("model.contextWindow" in sources.flags ? {} : { "model.contextWindow": PLAYER_MODEL.contextWindow }),
  };
}

/** The solution of a task as its player plays it. */
function played({ player, spoil, seed }: Measurement, task: EvalTask, run: number): PlayedTask {
  const { task: text, oracle, injected = [] } = task;
  const place = [seed, task.name, run];
  if (player !== "obedient") return { task: text, calls: oracle, counted: "done", spoil, place };
  const calls = [...oracle.slice(0, 1), ...injected, ...oracle.slice(1)];
  return { task: text, calls, counted: "answered", spoil, place };
}

/** A player's task also fails if anything ran that its solution doesn't have: a spoiled reply must not turn into another action. */
function strictlyGraded(task: EvalTask): EvalTask {
  return {
    ...task,
    async grade(run) {
      const asked = new Set(task.oracle.map(({ command, args }) => JSON.stringify([command, sorted(args)])));
      const strange = run.events.find(
        (event) =>
          event.type === "began" &&
          event.command !== "task_complete" &&
          !asked.has(JSON.stringify([event.command, sorted(event.args)])),
      );
      return strange?.type === "began"
        ? notPassed(
            `${strange.command} ran with ${JSON.stringify(strange.args)}, which the solution doesn't have.`,
          )
        : task.grade(run);
    },
  };
}

function sorted(args: object): unknown {
  return Object.entries(args).sort(([one], [other]) => one.localeCompare(other));
}
