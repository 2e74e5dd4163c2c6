import type { RunEnd } from "../core/commands/outcome.ts";

/** What the program says by its exit code; scripts rely on it. */
export const EXIT_CODE: Readonly<Record<RunEnd["reason"], number>> = {
  finished: 0,
  crashed: 1,
  exhausted: 2,
  stuck: 3,
  failed: 4,
  stopped: 130,
};
