/** There was no sign of life for too long. */
export class StalledError extends Error {
  override readonly name = "Stalled";
}

/** Watches for signs of life from slow work. Dispose of it when the work ends, however it ended. */
export interface SilenceWatch extends Disposable {
  /** Aborts when the caller gives up or the silence lasts too long. Cancel the work with it. */
  readonly signal: AbortSignal;
  /** Reports a sign of life, which restarts the clock. `withinMs` shortens the limit from now on. */
  heard(withinMs?: number): void;
  /** The promise's result, or the abort's reason as soon as there is one, even if the promise never settles. */
  race<T>(promise: Promise<T>): Promise<T>;
}

const REMIND_MS = 10_000;

/**
 * Watches work that should show a sign of life every `limitSeconds` (0: no limit). Until the first one, `stillSilent`
 * gets the seconds of waiting every ten seconds.
 */
export function watchSilence(
  caller: AbortSignal,
  limitSeconds: number,
  stillSilent: (seconds: number) => void,
): SilenceWatch {
  const own = new AbortController();
  const signal = AbortSignal.any([caller, own.signal]);
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  aborted.catch(() => undefined);

  const started = performance.now();
  const reminder = setInterval(
    () => stillSilent(Math.round((performance.now() - started) / 1000)),
    REMIND_MS,
  );
  let limitMs = limitSeconds * 1000;
  let clock: ReturnType<typeof setTimeout> | undefined;
  const restart = (): void => {
    clearTimeout(clock);
    if (limitMs > 0) clock = setTimeout(() => own.abort(new StalledError()), limitMs);
  };
  restart();

  return {
    signal,
    heard(withinMs) {
      clearInterval(reminder);
      if (withinMs !== undefined) limitMs = limitMs > 0 ? Math.min(limitMs, withinMs) : withinMs;
      restart();
    },
    race(promise) {
      promise.catch(() => undefined);
      return Promise.race([aborted, promise]);
    },
    [Symbol.dispose]() {
      clearInterval(reminder);
      clearTimeout(clock);
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
