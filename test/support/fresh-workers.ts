import { createRequire } from "node:module";

/** Mocha's workers have one second to end before they're killed. On a busy machine, writing their coverage takes longer. */
const END_MS = 30_000;

/**
 * How many files a worker runs before another one takes its place. What tests leave in its memory makes each start of a program slower,
 * up to ten times. A worker that is measured writes its coverage at its end, so it runs more.
 */
const FILES = process.env.NODE_V8_COVERAGE ? 100 : 12;

interface Pool {
  exec(...task: readonly unknown[]): Promise<unknown>;
  terminate(force: boolean): Promise<unknown>;
  stats(): Readonly<Record<string, number>>;
}

/** A pool of one worker, and how many files that has run. */
interface Lane {
  pool: Pool;
  files: number;
}

const workers = createRequire(import.meta.resolve("mocha"))("workerpool");
const openPool: (script: string, options: object) => Pool = workers.pool;

workers.pool = (script: string, options: { readonly maxWorkers: number }): Pool => {
  const open = () => openPool(script, { ...options, maxWorkers: 1, workerTerminateTimeout: END_MS });
  const lanes: readonly Lane[] = Array.from({ length: options.maxWorkers }, () => ({ pool: open(), files: 0 }));
  const free = [...lanes];
  const waiting: PromiseWithResolvers<Lane>[] = [];
  const release = async (lane: Lane): Promise<void> => {
    if (lane.files >= FILES && waiting.length > 0) {
      await lane.pool.terminate(false);
      Object.assign(lane, { pool: open(), files: 0 });
    }
    const next = waiting.shift();
    if (next) next.resolve(lane);
    else free.push(lane);
  };
  return {
    async exec(...task) {
      const turn = Promise.withResolvers<Lane>();
      const lane = free.shift() ?? (waiting.push(turn), await turn.promise);
      lane.files += 1;
      try {
        return await lane.pool.exec(...task);
      } finally {
        void release(lane);
      }
    },
    async terminate(force) {
      for (const { reject } of waiting.splice(0)) reject(new Error("The tests were ended."));
      await Promise.all(lanes.map(({ pool }) => pool.terminate(force)));
    },
    stats: () => ({ busyWorkers: lanes.length - free.length, pendingTasks: waiting.length }),
  };
};
