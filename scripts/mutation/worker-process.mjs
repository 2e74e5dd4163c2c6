import { fork } from "node:child_process";
import { inRoot, ROOT } from "../setup/root.mjs";

/** Rounds after which a worker is replaced: what it once loaded stays in its memory. */
const ROUNDS = 60;

/** A process that is ready for its first task; undefined if it ended before. */
function forked() {
  const child = fork(inRoot("scripts/mutation/worker.mjs"), [], {
    cwd: ROOT,
    execArgv: ["--max-old-space-size=3072", "--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  return new Promise((resolve) => {
    child.once("message", () => resolve(child)).once("exit", () => resolve(undefined));
  });
}

/** A worker that is started when it is needed, and again after it crashed, hung or grew old. */
function createWorker() {
  let child;
  let rounds = 0;

  const start = async () => {
    rounds = 0;
    child = undefined;
    for (let tries = 0; !child && tries < 5; tries++) child = await forked();
    if (!child) throw new Error("The worker of the mutation tests doesn't start.");
  };

  const stop = () => {
    child?.kill("SIGKILL");
    child = undefined;
  };

  return {
    /** Resolves with the worker's answer, or with `{ failed }` when it crashed or took longer than `limitMs`. */
    async run(task, limitMs) {
      if (!child?.connected) await start();
      rounds += 1;
      const answer = await new Promise((resolve) => {
        const current = child;
        const settle = (value) => {
          clearTimeout(timer);
          current.removeAllListeners();
          resolve(value);
        };
        const timer = setTimeout(() => settle({ failed: "(out of time)", lost: true }), limitMs);
        current.once("message", settle).once("exit", () => settle({ failed: "(crashed)", lost: true }));
        child.send(task);
      });
      if (answer.lost || rounds >= ROUNDS) stop();
      return answer;
    },
    stop,
  };
}

/** Several workers that share a list of items. */
export function createPool(size) {
  const workers = Array.from({ length: size }, createWorker);
  return {
    /** Calls `work(item, worker)` for every item, in order, one at a time on each worker. */
    async forEach(items, work) {
      const left = [...items];
      await Promise.all(
        workers.map(async (worker) => {
          while (left.length > 0) await work(left.shift(), worker);
        }),
      );
    },
    stop() {
      for (const worker of workers) worker.stop();
    },
  };
}
