import type { RecalledMemory } from "../../schema/events.ts";

/** What is remembered of a workspace, across its runs. Both methods throw a sentence when the memory cannot be used. */
export interface Memory {
  /** What fits a query best, best first. */
  search(query: string, count: number, signal: AbortSignal): Promise<readonly RecalledMemory[]>;
  /** Keeps a note with the untrusted sources it may come from; resolves once it survives a crash of the program. */
  add(text: string): Promise<void>;
}
