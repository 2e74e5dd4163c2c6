// Opens a memory in a program that has just started, asks it something, and tells what that took, as JSON:
// `node cold-open.ts BUNDLE WORKER FOLDER DIMENSIONS`.
import { createRequire } from "node:module";
import { setImmediate as untilIdle } from "node:timers/promises";
import { type Gap, longestGap, threadMs } from "./clock.ts";
import { randomEmbedder } from "./random-memories.ts";

/** What opening took, in milliseconds. */
export interface ColdOpening {
  readonly opened: number;
  /** Of the main thread's processor time. */
  readonly openedOwn: number;
  /** Until words were answered. */
  readonly answered: number;
  /** Until every memory was found by its vector. */
  readonly embedded: number;
  /** Memory of the program in the end, in MB. */
  readonly megabytes: number;
  readonly gap: Gap;
}

const [bundle = "", worker = "", folder = "", dimensions = ""] = process.argv.slice(2);
const { openMemory }: typeof import("../../../src/memory/open-memory.ts") = createRequire(import.meta.url)(bundle);
const embedder = randomEmbedder(Number(dimensions));
const { signal } = new AbortController();
const times = { opened: 0, openedOwn: 0, answered: 0, embedded: 0 };

const gap = await longestGap(async () => {
  const [start, startOwn] = [performance.now(), threadMs()];
  const store = await openMemory({ folder, embedder, worker });
  times.opened = performance.now() - start;
  times.openedOwn = threadMs() - startOwn;
  await store.recall("the orders table and the nightly backup", { count: 10, maxTokens: 1500, signal });
  times.answered = performance.now() - start;
  while (store.state.embedded < store.state.count) await untilIdle();
  times.embedded = performance.now() - start;
});
const megabytes = process.memoryUsage.rss() / 1e6;
console.log(JSON.stringify({ ...times, gap, megabytes } satisfies ColdOpening));
process.exit(0);
