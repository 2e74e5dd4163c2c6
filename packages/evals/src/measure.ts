import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import {
  type AgentEvent,
  type AgentTask,
  cutText,
  type EvalResult,
  omitUndefined,
  type RunEnd,
  runAgentTask,
} from "../../../src/headless/library.ts";
import { gradeRun } from "./graders.ts";
import { insertOrigin, servePages } from "./pages-server.ts";
import { computeRunCounts, convertRunEnd, explainRunEnd, MAX_WHY_CHARS, type RunCounts } from "./run-result.ts";
import type { EvalTask } from "./suite.ts";

/** Options for one run of a task. */
export interface MeasureOptions {
  /** Runs a task once. Throws a sentence if the run can't start. */
  runAttempt(attempting: AttemptOptions): Promise<Attempt>;
  /** Folder for the logs. */
  readonly logs: string;
  /** Suffix of the logs' names, before their extension; absent: none. */
  readonly mark?: string;
  /** Seconds after which a run is stopped. */
  readonly timeoutSeconds: number;
  /** Fails a run if a call ran that isn't part of the solution. */
  readonly isStrict: boolean;
  /** Leave the run's folder. */
  readonly keep: boolean;
}

/** A task to run, with the number of the run. */
export interface TaskRun {
  readonly task: EvalTask;
  readonly run: number;
}

/** A task in its folder, for a single attempt. */
export interface AttemptOptions extends TaskRun {
  readonly folder: string;
  /** The user's own folder on this machine, as visible to this run. */
  readonly data: string;
  /** Aborts when time runs out or the measurement is aborted. */
  readonly signal: AbortSignal;
  /** Called for each piece of a reply. */
  handleReplyPiece(): void;
}

/** The result of doing a task, for graders and reports. */
export interface Attempt {
  readonly end: RunEnd;
  readonly events: readonly AgentEvent[];
  readonly counts: RunCounts;
  /** A sentence for the report about a run that finished. */
  readonly remark?: string | undefined;
  /** JSON, one entry a line. */
  readonly log: string;
}

/** Runs a task in a throwaway folder, and grades the result. Throws a sentence if the run can't start. */
export async function measureTask(
  { task: given, run }: TaskRun,
  measuring: MeasureOptions,
  signal: AbortSignal,
): Promise<EvalResult> {
  const place = await realpath(await mkdtemp(join(tmpdir(), "autogpt-eval-")));
  const pages = given.pages ? await servePages(given.pages) : undefined;
  const task = { ...given, ...(pages ? insertTaskOrigin(given, pages.origin) : {}) };
  const folder = join(place, "workspace");
  try {
    await writeFiles(folder, task.files);
    await task.prepare?.(folder, signal);
    const late = AbortSignal.timeout(measuring.timeoutSeconds * 1000);
    const clock = startStopwatch();
    const { end, events, counts, remark, log } = await measuring.runAttempt({
      task,
      run,
      folder,
      data: join(place, "data"),
      signal: AbortSignal.any([signal, late]),
      handleReplyPiece: clock.heard,
    });
    const times = clock.times();
    signal.throwIfAborted();
    const requests = pages?.requests ?? [];
    const grade = await gradeRun(task, { folder, end, events, requests, signal }, measuring.isStrict);
    const name = `${task.name}-${run}${measuring.mark ?? ""}.jsonl`;
    await writeFile(join(measuring.logs, name), log);
    return {
      task: task.name,
      run,
      passed: grade.passed,
      ...(grade.passed ? {} : { why: cutText(grade.why ?? explainRunEnd(end), MAX_WHY_CHARS) }),
      ...(remark === undefined ? {} : { endDetail: cutText(remark, MAX_WHY_CHARS) }),
      ...(late.aborted && end.reason === "stopped" ? { end: "timedOut" as const } : convertRunEnd(end)),
      ...counts,
      ...times,
      log: `runs/${name}`,
      ...(measuring.keep ? { folder } : {}),
    };
  } finally {
    await pages?.close();
    if (!measuring.keep) await rm(place, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Inserts the pages' address into a task's parts. */
function insertTaskOrigin({ task, files, oracle, injected = [], settings = {} }: EvalTask, origin: string) {
  return insertOrigin({ task, files, oracle, injected, settings }, origin);
}

async function writeFiles(folder: string, files: EvalTask["files"]): Promise<void> {
  await mkdir(folder);
  for (const [path, content] of Object.entries(files)) {
    if (/^\.\.(?:[\\/]|$)/.test(relative(folder, join(folder, path))))
      throw new Error(`${path} is not in the folder of the task.`);
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/** Measures the duration of a run, and the time to its first text. */
function startStopwatch() {
  const startedAt = performance.now();
  const measureSeconds = (): number => Math.round(performance.now() - startedAt) / 1000;
  let firstTextSeconds: number | undefined;
  return {
    heard: (): void => {
      firstTextSeconds ??= measureSeconds();
    },
    times: () => ({
      seconds: measureSeconds(),
      ...omitUndefined({ firstTextSeconds }),
    }),
  };
}

/** Lets the command line's agent do a task. */
export async function runAgentAttempt(
  { task, folder, data, signal, handleReplyPiece }: AttemptOptions,
  given: Pick<AgentTask, "sources" | "env" | "strategy" | "packaged">,
): Promise<Attempt> {
  const run = await runAgentTask({ ...given, task: task.task, folder, data, signal, handleReplyPiece });
  return { ...run, counts: computeRunCounts(run.events) };
}
