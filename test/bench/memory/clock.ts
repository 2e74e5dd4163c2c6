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

/** Watches how long the event loop is held up while something happens; the longest gap in milliseconds. */
export async function longestGap(act: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, 1);
  await act();
  look();
  clearInterval(timer);
  return longest;
}
