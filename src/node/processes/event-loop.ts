import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";

/** Megabytes that one job may take; what needs more was made to. */
const WORKER_LIMITS = { maxOldGenerationSizeMb: 1024 };

/** A job's thread did not answer. */
export class WorkerFailure extends Error {
  override readonly name = "WorkerFailure";
}

/**
 * Has one job done in a thread of its own, without our environment, and ends the thread. Gives what it answers, which is what
 * the program in `worker` promises. Throws `WorkerFailure` when it breaks, ends without an answer or takes longer than so many
 * `seconds`, and the signal's reason when that is aborted.
 */
export async function inWorker<Answer>(
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
  const tooLong = new WorkerFailure(`it takes longer than ${seconds} seconds`);
  const clock = setTimeout(() => reject(tooLong), seconds * 1000);
  signal.addEventListener("abort", stop, { once: true });
  thread.once("message", resolve);
  thread.once("error", (cause) => reject(new WorkerFailure(cause.message, { cause })));
  thread.once("exit", () => reject(new WorkerFailure("its reader ended")));
  try {
    return await promise;
  } finally {
    clearTimeout(clock);
    signal.removeEventListener("abort", stop);
    await thread.terminate();
  }
}

/** Others wait for the event loop no longer than about this. */
const MAX_STRETCH_MS = 12;

/** Makes a function to call again and again in long work: it lets others run whenever they have waited long enough, and ends the work on an abort. */
export function yielder(signal: AbortSignal): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < MAX_STRETCH_MS) return;
    await setImmediate();
    signal.throwIfAborted();
    since = performance.now();
  };
}
