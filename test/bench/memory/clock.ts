import { setImmediate as untilIdle } from "node:timers/promises";

/** What each of some calls took, in milliseconds: by the clock, and of this thread's processor time. */
export interface Times {
  readonly clock: readonly number[];
  readonly own: readonly number[];
}

/** What each of `rounds` calls took; other work gets its turn in between. */
export async function bothTimesOf(rounds: number, act: (round: number) => unknown): Promise<Times> {
  const [clock, own]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const [start, startOwn] = [performance.now(), threadMs()];
    await act(round);
    clock.push(performance.now() - start);
    own.push(threadMs() - startOwn);
    await untilIdle();
  }
  return { clock, own };
}

/** Milliseconds by the clock that each of `rounds` calls took. */
export async function timesOf(rounds: number, act: (round: number) => unknown): Promise<readonly number[]> {
  return (await bothTimesOf(rounds, act)).clock;
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
    const [clock, own] = [now.clock - last.clock, now.own - last.own];
    longest.clock = Math.max(longest.clock, clock);
    // The kernel may count processor time in ticks of 4 ms, so that a turn seems to need more than it took.
    longest.own = Math.max(longest.own, Math.min(own, clock));
    last = now;
  };
  const timer = setInterval(look, 1);
  await act();
  look();
  clearInterval(timer);
  return longest;
}

/** Processor time of this thread so far. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
