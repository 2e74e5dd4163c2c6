// A member of a team, as a program of its own: opens a memory that is shared and does what its parent asks, one thing after the other.
import { createRequire } from "node:module";
import { setTimeout as pause } from "node:timers/promises";
import type { SharedMemoryOptions } from "../../../src/memory/shared/team-memory.ts";
import type { Shipped } from "../memory/entry-point.ts";
import { randomEmbedder } from "../memory/random-memories.ts";

/** What a member opens. */
export interface MemberOptions extends Shipped {
  readonly folder: string;
  readonly author: string;
  readonly dimensions: number;
  readonly shared: Pick<SharedMemoryOptions, "backend" | "url" | "project">;
}

/** What a member can do; it answers once that is done. */
export type MemberTask =
  | { readonly type: "add"; readonly text: string }
  | { readonly type: "see"; readonly text: string }
  | { readonly type: "hold"; readonly count: number; readonly hasVectors: boolean }
  | { readonly type: "recall"; readonly texts: readonly string[] };

/** What a member answers. */
export interface MemberAnswer {
  /** Since the memory was opened. */
  readonly ms: number;
  /** The most memory that the program has had since then, beyond what it had before, in MB. */
  readonly most: number;
  /** What it has now, beyond that. */
  readonly now: Held;
  /** Of each recall, in milliseconds. */
  readonly times: readonly number[];
}

/** The memory of a program in MB. */
interface Held {
  /** All of it, as the operating system counts. */
  readonly rss: number;
  /** JavaScript's objects, and the space for them. */
  readonly heapUsed: number;
  readonly heapTotal: number;
  /** What is outside of that: arrays of bytes and numbers. */
  readonly external: number;
}

const { bundle, worker, folder, author, dimensions, shared }: MemberOptions = JSON.parse(process.argv[2] ?? "");
const { openMemory }: typeof import("../../../src/memory/open-memory.ts") = createRequire(import.meta.url)(bundle);
const embedder = randomEmbedder(dimensions);
const before = process.memoryUsage();
const started = performance.now();
const memory = await openMemory({
  ...{ folder, embedder, worker, key: "a key of this machine" },
  shared: { ...shared, kinds: ["note"], getAuthor: async () => author },
});

process.on("message", async (task: MemberTask) => {
  const times = await done(task);
  const most = (1024 * process.resourceUsage().maxRSS - before.rss) / 1e6;
  process.send?.({ ms: performance.now() - started, most, now: held(), times } satisfies MemberAnswer);
});
process.on("disconnect", () => process.exit(0));

function held(): Held {
  const now = process.memoryUsage();
  const more = (of: "rss" | "heapUsed" | "heapTotal" | "external"): number => (now[of] - before[of]) / 1e6;
  return {
    rss: more("rss"),
    heapUsed: more("heapUsed"),
    heapTotal: more("heapTotal"),
    external: more("external"),
  };
}

async function done(task: MemberTask): Promise<readonly number[]> {
  const times: number[] = [];
  switch (task.type) {
    case "add":
      await memory.add([{ kind: "note", text: task.text, source: "user" }]);
      break;
    case "see":
      while (!(await memory.listNewest(5)).some(({ text }) => text === task.text)) await pause(2);
      break;
    case "hold":
      while (memory.state.count < task.count) await pause(5);
      while (task.hasVectors && memory.state.embedded < memory.state.count) await pause(5);
      break;
    default:
      for (const text of task.texts) times.push(await recallTime(text));
  }
  return times;
}

async function recallTime(text: string): Promise<number> {
  const start = performance.now();
  await memory.recall(text, { count: 10, maxTokens: 1500, signal: new AbortController().signal });
  return performance.now() - start;
}
