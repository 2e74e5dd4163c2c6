import { constants, setPriority } from "node:os";
import { setImmediate as untilIdle } from "node:timers/promises";
import { Worker, type WorkerOptions } from "node:worker_threads";
import { hasCode } from "../../disk/error-codes.ts";

/** A job's memory in megabytes. Only a hostile job needs more. */
const WORKER_LIMITS = { maxOldGenerationSizeMb: 1024 };

/** Messages about a job, from its thread: its code is loaded, with the thread's ID on Linux, then its answer. */
export type JobMessage<Answer> =
  | { readonly type: "loaded"; readonly thread?: number | undefined }
  | { readonly type: "answer"; readonly answer: Answer };

/** How long loading a job's code may take. The code is trusted, and only a very busy machine needs more than a second. */
const LOADING_SECONDS = 60;

/** How long one document or page may take, so that a hostile one ends within ten seconds, including the end of the thread. */
export const MOST_SECONDS = 8;

/**
 * A job that takes longer continues at a low priority; most end earlier. With a low priority from the start, a busy machine would give jobs
 * hardly any time before their limit.
 */
const QUICK_MS = 1000;

/** A job's thread failed. */
export class WorkerFailure extends Error {
  override readonly name = "WorkerFailure";
  /** The job took too long. */
  readonly isLate: boolean;

  constructor(message: string, { cause, isLate = false }: { cause?: unknown; isLate?: boolean } = {}) {
    super(message, { cause });
    this.isLate = isLate;
  }
}

/** When a job is given up. */
interface JobLimits {
  /** Counted from when its code is loaded. */
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** It's the last job of its thread, whose priority can't be raised again. */
  readonly isLast?: boolean;
}

interface WaitingJob<Answer> extends Omit<PromiseWithResolvers<Answer>, "promise"> {
  handleLoaded?(thread: number | undefined): void;
}

/**
 * A thread that does one job after the other, without our environment. `answerJobs` is its side. A job that fails, takes too long
 * or isn't wanted any more ends it.
 */
export class JobThread<Job, Answer> {
  private readonly worker: Worker;
  private readonly waiting: WaitingJob<Answer>[] = [];
  private failure: WorkerFailure | undefined;

  constructor(program: string | URL, options: WorkerOptions = {}) {
    this.worker = new Worker(program, { resourceLimits: WORKER_LIMITS, execArgv: [], env: {}, ...options })
      .on("message", (message: JobMessage<Answer>) => this.take(message))
      .on("error", (cause: Error) => this.fail(new WorkerFailure(explainFailure(cause), { cause })))
      .on("exit", () => this.fail(new WorkerFailure("its thread has ended")));
    this.worker.unref();
  }

  /** The answer, whose shape the program guarantees. Throws `WorkerFailure` without one, and the signal's reason on an abort. */
  async run(job: Job, limits?: JobLimits): Promise<Answer> {
    limits?.signal.throwIfAborted();
    if (this.failure) throw this.failure;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const waiting: WaitingJob<Answer> = { resolve, reject };
    this.waiting.push(waiting);
    const stopLimits = limits && enforceLimits(limits, waiting);
    this.worker.ref();
    this.worker.postMessage(job);
    try {
      return await promise;
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      stopLimits?.();
    }
  }

  async close(): Promise<void> {
    this.fail(new WorkerFailure("its thread has ended"));
    await this.worker.terminate();
  }

  private take(message: JobMessage<Answer>): void {
    if (message.type === "loaded") this.waiting[0]?.handleLoaded?.(message.thread);
    else this.waiting.shift()?.resolve(message.answer);
    if (this.waiting.length === 0) this.worker.unref();
  }

  private fail(failure: WorkerFailure): void {
    this.failure ??= failure;
    for (const { reject } of this.waiting.splice(0)) reject(failure);
  }
}

/** Rejects a job beyond its limits. Returns how to stop that. */
function enforceLimits<Answer>(limits: JobLimits, job: WaitingJob<Answer>): () => void {
  const stop = (): void => job.reject(limits.signal.reason);
  const failAfter = (seconds: number): NodeJS.Timeout => {
    const late = new WorkerFailure(`it takes longer than ${seconds} seconds`, { isLate: true });
    // An answer that has come while this thread was busy counts.
    return setTimeout(() => setImmediate(job.reject, late), seconds * 1000);
  };
  let clock = failAfter(LOADING_SECONDS);
  let quick: NodeJS.Timeout | undefined;
  job.handleLoaded = (thread) => {
    clearTimeout(clock);
    clock = failAfter(limits.seconds);
    if (limits.isLast) quick = setTimeout(lowerPriority, QUICK_MS, thread);
  };
  limits.signal.addEventListener("abort", stop, { once: true });
  return () => {
    clearTimeout(clock);
    clearTimeout(quick);
    limits.signal.removeEventListener("abort", stop);
  };
}

/** Does one job in a thread of its own. */
export async function runInWorker<Answer>(
  program: string | URL,
  job: unknown,
  limits: { readonly seconds: number; readonly signal: AbortSignal },
): Promise<Answer> {
  limits.signal.throwIfAborted();
  const thread = new JobThread<unknown, Answer>(program);
  return thread.run(job, { ...limits, isLast: true }).finally(() => thread.close());
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

/** Creates a function for long work to call repeatedly. It yields to the event loop after `MAX_STRETCH_MS`, and throws on an abort. */
export function createYielder(signal: AbortSignal): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < MAX_STRETCH_MS) return;
    await untilIdle();
    signal.throwIfAborted();
    since = performance.now();
  };
}
