import type { RunState } from "../../src/core/events/run-state.ts";
import type { RecallingRun } from "../../src/memory/recall/run-memory.ts";

/** A run in this state that recalls. Its prompts have all of its steps in full, and nothing is kept of what it records. */
export function recalling(state: RunState, more: Partial<RecallingRun> = {}): RecallingRun {
  return { state, history: {}, record: async () => undefined, ...more };
}
