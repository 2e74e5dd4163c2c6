// The thread's side of `JobThread`.
import { readlinkSync } from "node:fs";
import { basename } from "node:path";
import { parentPort } from "node:worker_threads";
import type { JobMessage } from "./event-loop.ts";

/**
 * Does the jobs that are sent to this thread, in order: loads the code of each, runs it, and sends its answer. Its time counts once the
 * code is loaded. An exception ends the thread, and its caller is notified.
 */
export function answerJobs<Job, Answer>(load: (job: Job) => Promise<() => Answer | Promise<Answer>>): void {
  const send = (message: JobMessage<Answer>): void => parentPort?.postMessage(message);
  let last: Promise<void> = Promise.resolve();
  const answer = async (job: Job): Promise<void> => {
    const run = await load(job);
    send({ type: "loaded", thread: readThreadId() });
    send({ type: "answer", answer: await run() });
  };
  parentPort?.on("message", (job: Job) => {
    last = last.then(() => answer(job));
  });
}

/**
 * Returns the thread's ID on Linux, the only system with priorities for threads. Elsewhere, they apply to the whole program. Synchronous,
 * because asynchronous calls run in another thread.
 */
function readThreadId(): number | undefined {
  try {
    return process.platform === "linux" ? Number(basename(readlinkSync("/proc/thread-self"))) : undefined;
  } catch {
    return undefined;
  }
}
