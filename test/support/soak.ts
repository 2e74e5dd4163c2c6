import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { instantAgent } from "../bench/loop/instant-agent.ts";
import { median } from "../bench/memory/clock.ts";

/** How a long run went: what grew, and what a step cost at its beginning and at its end. */
export interface Soak {
  readonly steps: number;
  /** Bytes in use after a collection, since the warm-up. */
  readonly grownBytes: number;
  /** Open handles, timers and the like, since the warm-up. */
  readonly grownResources: number;
  /** Medians, in milliseconds. */
  readonly earlyStepMs: number;
  readonly lateStepMs: number;
}

/** Runs the headless agent for so many steps; the first `warmUp` of them do not count. */
export async function soak(folder: string, steps: number, warmUp: number): Promise<Soak> {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const { live } = await instantAgent({
    ...{ folder, format: "tools", steps, outcomeChars: 500, keepRequests: false },
  });
  const times: number[] = [];
  const used = { bytes: 0, resources: 0 };
  const look = () => {
    collect();
    return { bytes: process.memoryUsage().heapUsed, resources: process.getActiveResourcesInfo().length };
  };
  let last = performance.now();
  live.run.onEvent((event) => {
    if (event.type !== "ended") return;
    const now = performance.now();
    times.push(now - last);
    if (event.step === warmUp) Object.assign(used, look());
    last = performance.now();
  });
  live.resume();
  await live.end;
  const now = look();
  await live.run.close();
  return {
    steps: times.length,
    grownBytes: now.bytes - used.bytes,
    grownResources: now.resources - used.resources,
    earlyStepMs: median(times.slice(warmUp, warmUp * 2)),
    lateStepMs: median(times.slice(-warmUp)),
  };
}
