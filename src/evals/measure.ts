import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { tryJson } from "../core/base/json.ts";
import { cutText } from "../core/base/text.ts";
import type { RunEnd } from "../core/commands/outcome.ts";
import type { RunOptions } from "../headless/options.ts";
import { runHeadless } from "../headless/run-headless.ts";
import type { Surroundings } from "../headless/session.ts";
import { isAtOrBelow } from "../node/files/real-path.ts";
import type { EvalResult } from "../schema/eval-report.ts";
import type { AgentEvent } from "../schema/events.ts";
import { readEvent } from "../schema/readers.ts";
import type { StrategyName } from "../schema/run-values.ts";
import { graded } from "./graders.ts";
import { servedPages, withOrigin } from "./pages-server.ts";
import { countsOf, endOf, MAX_WHY_CHARS, whyNotOf } from "./run-result.ts";
import type { EvalTask } from "./suite.ts";

/** How one run of a task is made. */
export interface MeasureOptions {
  /** Options of the run, whose task, folder and settings are filled in. */
  options(task: EvalTask, run: number): Pick<RunOptions, "yesTo" | "sources" | "env" | "onlyModel">;
  /** How prompts become steps; absent: the usual way. */
  readonly strategy?: StrategyName | undefined;
  /** Folder for the logs. */
  readonly logs: string;
  /** Seconds after which a run is stopped. */
  readonly timeoutSeconds: number;
  /** A run doesn't pass if anything ran that isn't part of the solution. */
  readonly isStrict: boolean;
  /** Leave the run's folder. */
  readonly keep: boolean;
}

/** A task that is to be run, and which of its runs it is. */
export interface TaskRun {
  readonly task: EvalTask;
  readonly run: number;
}

/** Runs a task in a throwaway folder with the agent of the command line, and grades it. Throws a sentence when no run can begin. */
export async function measured(
  { task: given, run }: TaskRun,
  measuring: MeasureOptions,
  signal: AbortSignal,
): Promise<EvalResult> {
  const place = await realpath(await mkdtemp(join(tmpdir(), "autogpt-eval-")));
  const pages = given.pages ? await servedPages(given.pages) : undefined;
  const task = { ...given, ...(pages ? ofOrigin(given, pages.origin) : {}) };
  const folder = join(place, "workspace");
  try {
    await writeFiles(folder, task.files);
    await task.prepare?.(folder, signal);
    const late = AbortSignal.timeout(measuring.timeoutSeconds * 1000);
    const startedAt = performance.now();
    const { end, events, log } = await agentRun(
      { task, run },
      { folder, data: join(place, "data") },
      measuring,
      [signal, late],
    );
    const seconds = Math.round(performance.now() - startedAt) / 1000;
    signal.throwIfAborted();
    const requests = pages?.requests ?? [];
    const grade = await graded(task, { folder, end, events, requests, signal }, measuring.isStrict);
    const name = `${task.name}-${run}.jsonl`;
    await writeFile(join(measuring.logs, name), log);
    return {
      ...{ task: task.name, run, passed: grade.passed },
      ...(grade.passed ? {} : { why: cutText(grade.why ?? whyNotOf(end), MAX_WHY_CHARS) }),
      ...(late.aborted && end.reason === "stopped" ? { end: "timedOut" as const } : endOf(end)),
      ...countsOf(events),
      ...{ seconds, log: `runs/${name}` },
      ...(measuring.keep ? { folder } : {}),
    };
  } finally {
    await pages?.close();
    if (!measuring.keep) await rm(place, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The parts of a task that may name its pages. */
function ofOrigin({ task, files, oracle, injected = [], settings = {} }: EvalTask, origin: string) {
  return withOrigin({ task, files, oracle, injected, settings }, origin);
}

async function writeFiles(folder: string, files: EvalTask["files"]): Promise<void> {
  await mkdir(folder);
  for (const [path, content] of Object.entries(files)) {
    if (!isAtOrBelow(join(folder, path), folder))
      throw new Error(`${path} is not in the folder of the task.`);
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

interface AgentRun {
  readonly end: RunEnd;
  readonly events: readonly AgentEvent[];
  /** The events as they were printed, one a line. */
  readonly log: string;
}

/** A run of the command line's agent, with its events. */
async function agentRun(
  { task, run }: TaskRun,
  { folder, data }: { readonly folder: string; readonly data: string },
  measuring: MeasureOptions,
  signals: readonly AbortSignal[],
): Promise<AgentRun> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const around: Surroundings = { stdin, stdout, stderr, data, signal: AbortSignal.any([...signals]) };
  const printed = text(stdout);
  stderr.resume();
  const options: RunOptions = {
    ...measuring.options(task, run),
    task: task.task,
    workspace: folder,
    profile: {
      ...{ goals: [], reuse: false, draft: false },
      ...(measuring.strategy ? { strategy: measuring.strategy } : {}),
    },
    pictures: [],
    plugins: [],
    plan: false,
    isolated: false,
    accept: false,
    json: true,
    speak: false,
    remarks: [],
  };
  try {
    const end = await runHeadless(options, around);
    stdout.end();
    const log = await printed;
    const lines = log.split("\n").filter((line) => line !== "");
    return { end, log, events: lines.flatMap((line, seq) => readEvent(tryJson(line), seq) ?? []) };
  } finally {
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
  }
}
