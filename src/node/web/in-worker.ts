import { Worker } from "node:worker_threads";
import { WebError } from "../../core/web.ts";
import type { PageJob, PageReading } from "./page-job.ts";

/** A page that takes longer to read, or more memory, was made to. */
const SECONDS = 40;
const LIMITS = { maxOldGenerationSizeMb: 1024 };

/** Has a page read in a thread of its own. `worker` is `page-worker.ts`, or what it was bundled to. Throws `WebError`. */
export async function inWorker(
  worker: string | URL,
  job: PageJob,
  signal: AbortSignal,
): Promise<PageReading> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<PageReading>();
  const thread = new Worker(worker, { workerData: job, resourceLimits: LIMITS, execArgv: [], env: {} });
  const stop = (): void => reject(signal.reason);
  const clock = setTimeout(() => reject(new WebError(TOO_LONG)), SECONDS * 1000);
  signal.addEventListener("abort", stop, { once: true });
  thread.once("message", resolve);
  thread.once("error", (error) => reject(new WebError(unreadable(error), { cause: error })));
  thread.once("exit", () => reject(new WebError(unreadable("its reader ended"))));
  try {
    return await promise;
  } finally {
    clearTimeout(clock);
    signal.removeEventListener("abort", stop);
    await thread.terminate();
  }
}

const TOO_LONG = `The page takes longer than ${SECONDS} seconds to read, so it was given up. Take another source.`;

function unreadable(why: unknown): string {
  return `The page could not be read (${why instanceof Error ? why.message : String(why)}). Take another source.`;
}
