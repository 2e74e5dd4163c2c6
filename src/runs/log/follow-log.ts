import { join } from "node:path";
import type { AgentEvent } from "../../schema/events.ts";
import { readEvent } from "../../schema/readers.ts";
import { Restorer } from "./deduplication.ts";
import { parseLineValue, readWholeLines } from "./log-lines.ts";
import { findLogSchema, migrateEvent, TODAY } from "./read-log.ts";
import { LOG_FILE } from "./run-log.ts";

/** Returns the events that were added to the log of the run in a folder since the last call; the first call returns all. */
export function createLogFollower(folder: string): () => Promise<readonly AgentEvent[]> {
  const restorer = new Restorer();
  let bytes = 0;
  let count = 0;
  let schema: number | undefined;
  return async () => {
    const found: AgentEvent[] = [];
    for await (const { lines, bytes: end } of readWholeLines(join(folder, LOG_FILE), bytes)) {
      for (const line of lines) {
        const value = parseLineValue(line);
        if (count === 0) schema = findLogSchema(value);
        const event = readEvent(migrateEvent(restorer.unfold(value), schema, TODAY), count);
        if (!event) return found;
        found.push(event);
        count += 1;
      }
      bytes = end;
    }
    return found;
  };
}
