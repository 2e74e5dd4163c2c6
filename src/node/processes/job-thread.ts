// The thread's side of `inWorker`.
import { readlinkSync } from "node:fs";
import { basename } from "node:path";
import { parentPort } from "node:worker_threads";
import type { JobMessage } from "./event-loop.ts";

/**
 * Loads a job's code, runs the job, and sends its answer. Its time counts once the code is loaded. An exception ends the
 * thread, and its caller is notified.
 */
export async function answerJob<Answer>(load: () => Promise<() => Promise<Answer>>): Promise<void> {
  const send = (message: JobMessage<Answer>): void => parentPort?.postMessage(message);
  const job = await load();
  send({ type: "loaded", thread: readThreadId() });
  send({ type: "answer", answer: await job() });
}

/**
 * Only Linux has priorities of threads. Elsewhere they would be the whole program's. Synchronous, because other calls
 * run in a thread of their own.
 */
function readThreadId(): number | undefined {
  try {
    return process.platform === "linux" ? Number(basename(readlinkSync("/proc/thread-self"))) : undefined;
  } catch {
    return undefined;
  }
}
