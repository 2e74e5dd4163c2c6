import { join } from "node:path";
import { type AgentEvent, SCHEMA } from "../core/event.ts";
import { tryJson } from "../core/json.ts";
import { fileText } from "../plain-file.ts";
import { Unfolding } from "./folded-texts.ts";
import { type Migrations, migrated, schemaOf, TODAY } from "./migrate.ts";
import { isEvent } from "./read-event.ts";
import { LOG_FILE } from "./run-log.ts";

/** A log as far as it is good. */
export interface StoredLog {
  readonly events: readonly AgentEvent[];
  /** Why nothing may be added to it, as a sentence; undefined when the run can be gone on with. */
  readonly readOnly?: string;
  /** It was written in an older schema. Before anything is added it has to be written anew. */
  readonly older: boolean;
  /** A last line was never finished: the program ended while it wrote. It is left out, and nothing else is missing. */
  readonly torn: boolean;
}

/** Reads a run's log as far as it is good, and says how far that is. Nothing is ever changed or deleted. */
export async function readLog(folder: string): Promise<StoredLog> {
  return parseLog(await fileText(join(folder, LOG_FILE)));
}

/** The events in a log's text. A line that is no event, or out of order, ends the good part. */
export function parseLog(text: string, migrations: Migrations = TODAY): StoredLog {
  const lines = text.split("\n");
  const torn = lines.pop() !== "";
  const schema = schemaOf(tryJson(lines[0] ?? ""));
  const about = { older: schema !== undefined && schema < migrations.to, torn };
  const events: AgentEvent[] = [];
  const unfolding = new Unfolding();
  for (const line of lines) {
    const value = migrated(unfolding.unfold(tryJson(line)), schema, migrations);
    if (!isEvent(value, events.length))
      return { events, readOnly: why(value, events, lines.length), ...about };
    events.push(value);
  }
  const newer = newerSchema(events[0]);
  if (newer !== undefined) return { events, readOnly: newer, ...about };
  return events[0]?.type === "started" ? { events, ...about } : { events, readOnly: NO_START, ...about };
}

const NO_START =
  "The log does not begin with the start of a run, so the run can be neither shown nor gone on with.";

function newerSchema(first: AgentEvent | undefined): string | undefined {
  return first?.type === "started" && first.schema > SCHEMA
    ? "A newer version of AutoGPT wrote this run. It can be read here; update the extension to go on with it."
    : undefined;
}

function why(value: unknown, events: readonly AgentEvent[], lines: number): string {
  const newer = newerSchema(events[0]);
  if (newer !== undefined) return newer;
  if (events.length === 0) return NO_START;
  const what = value === undefined ? "is damaged" : "does not follow from the ones before";
  return `Line ${events.length + 1} of ${lines} of the log ${what}. The run is shown up to there; fork it to go on.`;
}
