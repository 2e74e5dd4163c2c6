// Opens a memory in a program that has just started, asks it something, and tells what that took, as JSON: `node cold-open.ts BUNDLE FOLDER DIMENSIONS`.
import { createRequire } from "node:module";
import { type Gap, longestGap, threadMs } from "./clock.ts";
import { randomEmbedder } from "./random-memories.ts";

/** What opening took, in milliseconds. */
export interface ColdOpening {
  readonly opened: number;
  /** Of the main thread's processor time. */
  readonly openedOwn: number;
  readonly answered: number;
  readonly gap: Gap;
}

const [bundle = "", folder = "", dimensions = ""] = process.argv.slice(2);
const { openMemory }: typeof import("../../../src/memory/open-memory.ts") = createRequire(import.meta.url)(
  bundle,
);
const embedder = randomEmbedder(Number(dimensions));
const { signal } = new AbortController();
const times = { opened: 0, openedOwn: 0, answered: 0 };

const gap = await longestGap(async () => {
  const [start, startOwn] = [performance.now(), threadMs()];
  const store = await openMemory({ folder, embedder });
  times.opened = performance.now() - start;
  times.openedOwn = threadMs() - startOwn;
  await store.recall("the orders table and the nightly backup", { count: 10, maxTokens: 1500, signal });
  times.answered = performance.now() - start;
});
console.log(JSON.stringify({ ...times, gap } satisfies ColdOpening));
process.exit(0);
