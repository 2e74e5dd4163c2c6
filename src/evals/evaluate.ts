import type { Writable } from "node:stream";
import { cutText, visible } from "../core/base/text.ts";
import type { EvalResult } from "../schema/eval-report.ts";
import { type MeasureOptions, measured, type TaskRun } from "./measure.ts";
import { resultWord } from "./report/tally.ts";
import type { EvalTask } from "./suite.ts";

/** Runs to make, and how. */
export interface EvaluateOptions extends MeasureOptions {
  readonly tasks: readonly EvalTask[];
  /** Runs of each task. */
  readonly runs: number;
  /** Runs at the same time. */
  readonly jobs: number;
  /** Called after each run. */
  done(result: EvalResult): void;
}

/**
 * Makes all runs, some at the same time, and resolves with their results in the order of tasks and runs. After an abort, no further run
 * begins and those that are under way have no result. Throws the sentence of a run that couldn't begin.
 */
export async function evaluated(
  options: EvaluateOptions,
  signal: AbortSignal,
): Promise<readonly EvalResult[]> {
  const all: readonly TaskRun[] = options.tasks.flatMap((task) =>
    Array.from({ length: options.runs }, (_, index) => ({ task, run: index + 1 })),
  );
  const results: (EvalResult | undefined)[] = [];
  const broken = new AbortController();
  const stop = AbortSignal.any([signal, broken.signal]);
  const waiting = all.entries();
  const work = async (): Promise<void> => {
    for (const [index, taskRun] of waiting) {
      if (stop.aborted) return;
      const result = await measured(taskRun, options, stop);
      results[index] = result;
      options.done(result);
    }
  };
  const jobs = Array.from({ length: Math.min(options.jobs, all.length) }, () =>
    work().catch((error: unknown) => {
      if (!stop.aborted) broken.abort(error);
    }),
  );
  await Promise.all(jobs);
  if (broken.signal.aborted) throw broken.signal.reason;
  return results.filter((result) => result !== undefined);
}

/** Shows a person how far a measurement is. */
export interface Progress {
  done(result: EvalResult): void;
  /** Ends the line. */
  close(): void;
}

/** Progress on standard error: one line that is written again and again on a terminal, or else a line for each run. */
export function progressOn(output: Writable & { readonly isTTY?: boolean }, total: number): Progress {
  let count = 0;
  let passed = 0;
  return {
    done(result) {
      count++;
      if (result.passed) passed++;
      const last = `${result.task} ${result.run}: ${resultWord(result)}`;
      const line = visible(cutText(`${count}/${total} runs, ${passed} passed · ${last}`, LINE_CHARS));
      output.write(output.isTTY ? `\r\u001b[K${line}` : `${line}\n`);
    },
    close() {
      if (output.isTTY && count > 0) output.write("\n");
    },
  };
}

const LINE_CHARS = 78;
