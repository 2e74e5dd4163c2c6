import { waitUntilAborted } from "../../core/base/async.ts";

/** There was no sign of life for too long. */
export class StalledError extends Error {
  override readonly name = "Stalled";
}

/** There were signs of life, but nothing of the reply for too long. */
export class WordlessError extends Error {
  override readonly name = "Wordless";
  readonly minutes: number;
  constructor(minutes: number) {
    super();
    this.minutes = minutes;
  }
}

/** Watches for signs of life from slow work. Dispose of it when the work ends, however it ended. */
export interface SilenceWatch extends Disposable {
  /** Aborts when the caller gives up or the silence lasts too long. Pass this signal to the work. */
  readonly signal: AbortSignal;
  /** Reports a part of the result, which restarts all clocks. `withinMs` shortens the limit from now on. */
  reportProgress(withinMs?: number): void;
  /** Reports any other sign of life, which restarts the clock of silence. */
  reportAlive(): void;
  /** The promise's result, or the abort's reason as soon as there is one, even if the promise never settles. */
  race<T>(promise: Promise<T>): Promise<T>;
}

const REMIND_MS = 10_000;

/** How many minutes a server may show only signs of life, without a part of the result. */
const WORDLESS_MINUTES = 20;

/**
 * Watches work that should show a sign of life every `limitSeconds` (0: no limit), and a part of its result every `wordlessMinutes`. Until
 * the first part, `stillSilent` receives the seconds waited, every ten seconds.
 */
export function watchSilence(
  caller: AbortSignal,
  limitSeconds: number,
  stillSilent: (seconds: number) => void,
  wordlessMinutes = Math.max(WORDLESS_MINUTES, limitSeconds / 60),
): SilenceWatch {
  const own = new AbortController();
  const signal = AbortSignal.any([caller, own.signal]);
  const started = performance.now();
  const reminder = setInterval(() => stillSilent(Math.round((performance.now() - started) / 1000)), REMIND_MS);
  const clocks = new Map<Error, ReturnType<typeof setTimeout>>();
  const restart = (error: Error, ms: number): void => {
    clearTimeout(clocks.get(error));
    if (ms > 0)
      clocks.set(
        error,
        setTimeout(() => own.abort(error), ms),
      );
  };
  const silent = new StalledError();
  const wordless = new WordlessError(Math.round(wordlessMinutes));
  let limitMs = limitSeconds * 1000;
  let isEnding = false;
  const restartClocks = (withinMs?: number): void => {
    isEnding ||= withinMs !== undefined;
    if (withinMs !== undefined) limitMs = limitMs > 0 ? Math.min(limitMs, withinMs) : withinMs;
    restart(silent, limitMs);
    restart(wordless, limitSeconds > 0 ? wordlessMinutes * 60_000 : 0);
  };
  restartClocks();

  return {
    signal,
    reportProgress(withinMs) {
      clearInterval(reminder);
      restartClocks(withinMs);
    },
    reportAlive() {
      if (!isEnding && !own.signal.aborted) restart(silent, limitMs);
    },
    race: (promise) => waitUntilAborted(promise, signal),
    [Symbol.dispose]() {
      clearInterval(reminder);
      for (const clock of clocks.values()) clearTimeout(clock);
      own.abort();
    },
  };
}

/** The longest delay of one timer, in milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Resolves after any number of milliseconds. An abort rejects at once with the signal's reason. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  for (let left = ms; left > 0; left -= LONGEST_TIMER) await waitOnce(Math.min(left, LONGEST_TIMER), signal);
  signal.throwIfAborted();
}

function waitOnce(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
