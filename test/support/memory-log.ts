import type { RunLog } from "../../src/core/ports/storage.ts";
import type { AgentEvent } from "../../src/schema/events.ts";

/** A log that keeps its events in memory, and how many of them there were at each sync. */
export class MemoryLog implements RunLog {
  readonly events: AgentEvent[] = [];
  readonly syncs: number[] = [];

  async append(event: AgentEvent): Promise<AgentEvent> {
    this.events.push(event);
    return event;
  }

  async appendAll(events: readonly AgentEvent[]): Promise<readonly AgentEvent[]> {
    this.events.push(...events);
    return events;
  }

  async sync(): Promise<void> {
    this.syncs.push(this.events.length);
  }

  async close(): Promise<void> {}
}
