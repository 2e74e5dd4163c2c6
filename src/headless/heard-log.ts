import type { RunLog } from "../core/ports/storage.ts";
import type { AgentEvent } from "../schema/events.ts";

/** A log whose events are heard as they stand in it, from the first one on. */
export function heardLog(log: RunLog, hear: (event: AgentEvent) => void): RunLog {
  return {
    sync: () => log.sync(),
    close: () => log.close(),
    async append(event) {
      const written = await log.append(event);
      hear(written);
      return written;
    },
  };
}
