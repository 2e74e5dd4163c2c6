import { setImmediate as untilIdle } from "node:timers/promises";

/** Milliseconds that each of `rounds` calls took; other work gets its turn in between. */
export async function timesOf(rounds: number, act: (round: number) => unknown): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await act(round);
    times.push(performance.now() - start);
    await untilIdle();
  }
  return times;
}

export function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(times: readonly number[]): number {
  return percentile(times, 0.5);
}

/** How long the event loop was held up at most, in milliseconds: by the clock, and by this program's own work alone. */
export interface Gap {
  readonly clock: number;
  readonly own: number;
}

/** Watches the event loop while something happens. On a machine that others use too, only the program's own share says something of it. */
export async function longestGap(act: () => Promise<unknown>): Promise<Gap> {
  const longest = { clock: 0, own: 0 };
  let last = { clock: performance.now(), own: threadMs() };
  const look = () => {
    const now = { clock: performance.now(), own: threadMs() };
    longest.clock = Math.max(longest.clock, now.clock - last.clock);
    longest.own = Math.max(longest.own, now.own - last.own);
    last = now;
  };
  const timer = setInterval(look, 1);
  await act();
  look();
  clearInterval(timer);
  return longest;
}

/** Processor time of this thread so far. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
