import { join } from "node:path";
import { isObject, type Json, tryJson } from "../../core/base/json.ts";
import { fileText } from "../../plain-file.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { LOG_VERSION } from "../../schema/formats.ts";
import { readEvent } from "../../schema/readers.ts";
import { Restorer } from "./deduplication.ts";
import { LOG_FILE } from "./run-log.ts";

/** Makes an event of one schema one of the next. An event that stays as it is is given back. */
type Migration = (event: Json) => Json;

/**
 * How events of older logs become those of today, by the schema they come from. Logs are migrated as they are read; the file is written
 * anew only when somebody goes on with the run, and the old one is kept beside it. The first schema is 1, so there is nothing older yet.
 */
const MIGRATIONS: ReadonlyMap<number, Migration> = new Map();

/** The migrations that a reader applies, and the schema they lead to. */
export interface Migrations {
  readonly to: number;
  readonly steps: ReadonlyMap<number, Migration>;
}

export const TODAY: Migrations = { to: LOG_VERSION, steps: MIGRATIONS };

/** The schema that a log's first line says it is written in; undefined when that line is no start. */
export function schemaOf(first: unknown): number | undefined {
  if (!isObject(first) || first.type !== "started") return undefined;
  return typeof first.schema === "number" && Number.isSafeInteger(first.schema) ? first.schema : undefined;
}

/** An event of a log of schema `from`, as it is told today. What cannot be migrated stays as it is, and is then no event. */
export function migrated(value: unknown, from: number | undefined, { to, steps }: Migrations): unknown {
  if (from === undefined || from >= to || !isObject(value)) return value;
  let event: Json = value;
  for (let schema = from; schema < to; schema++) {
    const step = steps.get(schema);
    if (!step) return value;
    event = step(event);
  }
  return event.type === "started" ? { ...event, schema: to } : event;
}

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

/** The events in a log's text. A line that isn't an event, or is out of order, ends the good part; one of an unknown type doesn't. */
export function parseLog(text: string, migrations: Migrations = TODAY): StoredLog {
  const lines = text.split("\n");
  const torn = lines.pop() !== "";
  const schema = schemaOf(tryJson(lines[0] ?? ""));
  const about = { older: schema !== undefined && schema < migrations.to, torn };
  const events: AgentEvent[] = [];
  const unfolding = new Restorer();
  for (const line of lines) {
    const value = migrated(unfolding.unfold(tryJson(line)), schema, migrations);
    const event = readEvent(value, events.length);
    if (!event) return { events, readOnly: why(value, events, lines.length), ...about };
    events.push(event);
  }
  const newer = newerSchema(events[0]);
  if (newer !== undefined) return { events, readOnly: newer, ...about };
  return events[0]?.type === "started" ? { events, ...about } : { events, readOnly: NO_START, ...about };
}

const NO_START =
  "The log does not begin with the start of a run, so the run can be neither shown nor gone on with.";

function newerSchema(first: AgentEvent | undefined): string | undefined {
  return first?.type === "started" && first.schema > LOG_VERSION
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
