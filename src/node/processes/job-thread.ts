// The thread's side of `inWorker`.
import { constants, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { LOADED } from "./event-loop.ts";

/**
 * Loads a job's code, runs the job at a low priority, and sends its answer. Its time counts once the code is loaded. An
 * exception ends the thread, and its caller is notified.
 */
export async function answerJob(load: () => Promise<() => Promise<unknown>>): Promise<void> {
  const job = await load();
  parentPort?.postMessage(LOADED);
  // Only Linux has priorities of threads. Elsewhere it would be the whole program's.
  if (process.platform === "linux") setPriority(constants.priority.PRIORITY_LOW);
  parentPort?.postMessage(await job());
}
