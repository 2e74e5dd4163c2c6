import type { AgentEvent } from "../../schema/events.ts";
import type { RecalledMemory } from "../../schema/run-values.ts";

/** The log cannot be written; `message` says what to do. Nothing that was acknowledged before is lost. */
export class LogError extends Error {
  override readonly name = "LogError";
}

/** Where a run's events go. Throws `LogError`. */
export interface RunLog {
  /** Resolves once the operating system has the line, with the event as it stands there: secrets are left out. */
  append(event: AgentEvent): Promise<AgentEvent>;
  /** Resolves once the disk has every line so far. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** What is remembered of a workspace, across its runs. Both methods throw a sentence when the memory cannot be used. */
export interface Memory {
  /** What fits a query best, best first. */
  search(query: string, count: number, signal: AbortSignal): Promise<readonly RecalledMemory[]>;
  /** Keeps a note with the untrusted sources it may come from; resolves once it survives a crash of the program. */
  add(text: string): Promise<void>;
}
