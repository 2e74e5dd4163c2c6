import { constants, setPriority } from "node:os";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { hasCode } from "../../disk/error-codes.ts";

/** Megabytes for one job. Only a hostile job needs more. */
const WORKER_LIMITS = { maxOldGenerationSizeMb: 1024 };

/** Messages of a job's thread: its code is loaded, with the thread's ID on Linux, then its answer. */
export type JobMessage<Answer> =
  | { readonly type: "loaded"; readonly thread: number | undefined }
  | { readonly type: "answer"; readonly answer: Answer };

/** Time for loading a job's code. It's our own, and only a very busy machine needs more than a second. */
const LOADING_SECONDS = 60;

/** Time for one document or page, so that a hostile one ends within ten seconds. A thread takes a while to end, too. */
export const MOST_SECONDS = 8;

/**
 * A job that takes longer than this goes on at a low priority. Most are done before that. At a low priority from the
 * start, a busy machine would give them next to no time, and their limit would end them.
 */
const QUICK_MS = 1000;

/** A job's thread failed. */
export class WorkerFailure extends Error {
  override readonly name = "WorkerFailure";
}

/**
 * Runs one job in its own thread, without our environment, and ends the thread. Returns its answer, whose shape the
 * program in `worker` guarantees. Throws `WorkerFailure` if it fails, ends without an answer or exceeds `seconds` after
 * it was loaded, and the signal's reason on an abort.
 */
export async function runInWorker<Answer>(
  worker: string | URL,
  job: unknown,
  { seconds, signal }: { readonly seconds: number; readonly signal: AbortSignal },
): Promise<Answer> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const thread = new Worker(worker, {
    workerData: job,
    resourceLimits: WORKER_LIMITS,
    execArgv: [],
    env: {},
  });
  const stop = (): void => reject(signal.reason);
  const endAfter = (time: number): NodeJS.Timeout =>
    setTimeout(() => reject(new WorkerFailure(`it takes longer than ${time} seconds`)), time * 1000);
  let clock = endAfter(LOADING_SECONDS);
  let quick: NodeJS.Timeout | undefined;
  signal.addEventListener("abort", stop, { once: true });
  thread.on("message", (message: JobMessage<Answer>) => {
    if (message.type === "answer") return resolve(message.answer);
    clearTimeout(clock);
    clock = endAfter(seconds);
    quick = setTimeout(lowerPriority, QUICK_MS, message.thread);
  });
  thread.once("error", (cause) => reject(new WorkerFailure(explainFailure(cause), { cause })));
  thread.once("exit", () => reject(new WorkerFailure("its reader ended")));
  try {
    return await promise;
  } finally {
    clearTimeout(clock);
    clearTimeout(quick);
    signal.removeEventListener("abort", stop);
    await thread.terminate();
  }
}

function lowerPriority(thread: number | undefined): void {
  if (thread === undefined) return;
  try {
    setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has just ended.
  }
}

function explainFailure(cause: Error): string {
  return hasCode(cause, "ERR_WORKER_OUT_OF_MEMORY") ? "it takes more than 1 GB of memory" : cause.message;
}

/** Approximate maximum time to block the event loop. */
const MAX_STRETCH_MS = 12;

/** Makes a function to call repeatedly in long work. It yields to the event loop after `MAX_STRETCH_MS`, and throws on an abort. */
export function createYielder(signal: AbortSignal): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < MAX_STRETCH_MS) return;
    await setImmediate();
    signal.throwIfAborted();
    since = performance.now();
  };
}
