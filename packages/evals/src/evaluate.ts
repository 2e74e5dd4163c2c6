import type { Writable } from "node:stream";
import { cutText, type EvalResult, escapeInvisible } from "../../../src/headless/library.ts";
import { type MeasureOptions, measureTask, type TaskRun } from "./measure.ts";
import { formatResult } from "./report/tally.ts";
import type { EvalTask } from "./suite.ts";

/** Runs to make, and how. */
export interface EvaluateOptions extends MeasureOptions {
  readonly tasks: readonly EvalTask[];
  /** Runs of each task. */
  readonly runs: number;
  /** Runs at the same time. */
  readonly jobs: number;
  /** Called after each run. */
  reportResult(result: EvalResult): void;
}

/** Results in the order of tasks and runs. */
export interface Evaluated {
  readonly results: readonly EvalResult[];
  /** Why the remaining runs were skipped: a run couldn't start, or no model replies. */
  readonly problem?: Error;
}

/** After this many runs without a single reply, no reply is expected. */
const MOST_SILENT = 3;

/** Makes all runs, some concurrently. After an abort, no further run starts, and unfinished ones have no result. */
export async function runEvaluation(options: EvaluateOptions, signal: AbortSignal): Promise<Evaluated> {
  const all: readonly TaskRun[] = options.tasks.flatMap((task) =>
    Array.from({ length: options.runs }, (_, index) => ({ task, run: index + 1 })),
  );
  const results: (EvalResult | undefined)[] = [];
  const listFinished = () => results.filter((result) => result !== undefined);
  const broken = new AbortController();
  const stop = AbortSignal.any([signal, broken.signal]);
  const waiting = all.entries();
  const work = async (): Promise<void> => {
    for (const [index, taskRun] of waiting) {
      if (stop.aborted) return;
      const result = await measureTask(taskRun, options, stop);
      results[index] = result;
      options.reportResult(result);
      const silence = findNoReplyProblem(listFinished());
      if (silence) throw silence;
    }
  };
  const jobs = Array.from({ length: Math.min(options.jobs, all.length) }, () =>
    work().catch((error: unknown) => {
      if (!stop.aborted) broken.abort(error);
    }),
  );
  await Promise.all(jobs);
  const problem: unknown = broken.signal.reason;
  return { results: listFinished(), ...(problem instanceof Error ? { problem } : {}) };
}

/** The problem if all runs failed before the first reply. A slow model that runs out of time before it is still measured. */
function findNoReplyProblem(results: readonly EvalResult[]): Error | undefined {
  const isSilent = ({ replies, end }: EvalResult): boolean => replies === 0 && end !== "timedOut";
  if (results.length < MOST_SILENT || !results.every(isSilent)) return undefined;
  const { endDetail = "" } = results.at(-1) ?? {};
  return new Error(`No reply came in the first ${results.length} runs. ${endDetail}`.trim());
}

/** Shows the progress of a measurement to a person. */
export interface Progress {
  reportResult(result: EvalResult): void;
  /** Ends the line. */
  close(): void;
}

/** Progress on standard error: one line that is overwritten on a terminal, or else a line per run. */
export function createEvalProgress(output: Writable & { readonly isTTY?: boolean }, total: number): Progress {
  let count = 0;
  let passed = 0;
  return {
    reportResult(result) {
      count++;
      if (result.passed) passed++;
      const last = `${result.task} ${result.run}: ${formatResult(result)}`;
      const line = escapeInvisible(cutText(`${count}/${total} runs, ${passed} passed · ${last}`, LINE_CHARS));
      output.write(output.isTTY ? `\r\u001b[K${line}` : `${line}\n`);
    },
    close() {
      if (output.isTTY && count > 0) output.write("\n");
    },
  };
}

const LINE_CHARS = 78;
