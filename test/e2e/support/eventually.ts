import { setTimeout as pause } from "node:timers/promises";

const LONGEST_MS = 30_000;

/** Looks again and again until `look` gives something, and returns that. For what no page shows: files and processes. */
export async function eventually<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const until = Date.now() + LONGEST_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > until) throw new Error(`${what} did not come true in ${LONGEST_MS / 1000} seconds.`);
    await pause(25);
  }
}
