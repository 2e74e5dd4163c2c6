/** The longest time one timer can hold, in milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Resolves after `ms` milliseconds, however many; an abort rejects at once with the signal's reason. */
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
