import type { AgentEvent } from "../../schema/events.ts";
import type { RecalledMemory } from "../../schema/run-values.ts";
import { DisplayError } from "../../texts/display-text.ts";

/** The log can't be written; its text says what to do. No acknowledged event is lost. */
export class LogError extends DisplayError {
  override readonly name = "LogError";
}

/** Stores a run's events. Throws `LogError`. */
export interface RunLog {
  /** Resolves once the operating system has the line. Returns the event as written, with secrets redacted. */
  append(event: AgentEvent): Promise<AgentEvent>;
  /** The same for several events, with one write. Absent where that saves nothing. */
  appendAll?(events: readonly AgentEvent[]): Promise<readonly AgentEvent[]>;
  /** Resolves once every line so far is on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** The memory of a workspace across its runs. Both methods throw a sentence if the memory can't be used. */
export interface Memory {
  /** Finds the best matches of a query, best first, among the memories of one kind or of all. */
  search(query: string, count: number, signal: AbortSignal, kind?: string): Promise<readonly RecalledMemory[]>;
  /**
   * Stores a note with the untrusted sources it may come from. Resolves once it would survive a crash. Returns the name of the server that
   * shares it with the team; undefined if it isn't shared.
   */
  add(text: string): Promise<string | undefined>;
  /** Returns the workspace file for a note that belongs to the repository, without writing it. Throws a sentence if there can't be one. */
  prepareNoteFile(text: string): Promise<{ readonly path: string; readonly contents: string }>;
}
