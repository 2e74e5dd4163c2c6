import { setImmediate } from "node:timers/promises";

/** Others wait for the event loop no longer than about this. */
const LONGEST_STRETCH_MS = 12;

/** Makes a function to call again and again in long work: it lets others run whenever they have waited long enough, and ends the work on an abort. */
export function breather(signal: AbortSignal): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < LONGEST_STRETCH_MS) return;
    await setImmediate();
    signal.throwIfAborted();
    since = performance.now();
  };
}
