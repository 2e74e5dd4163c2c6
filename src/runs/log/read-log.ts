import { join } from "node:path";
import { isObject, type Json } from "../../core/base/json.ts";
import { fileText } from "../../plain-file.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { LOG_VERSION } from "../../schema/formats.ts";
import { readEvent } from "../../schema/readers.ts";
import { displayText, type Sentence } from "../../texts/display-text.ts";
import { Restorer } from "./deduplication.ts";
import { lineValue, MOST_LOG_BYTES } from "./log-lines.ts";
import { LOG_FILE } from "./run-log.ts";

/** Converts an event of one schema to the next. An event that needs no change is returned as it is. */
type Migration = (event: Json) => Json;

/**
 * The conversions of older events, by the schema they come from. Logs are migrated when they are read. The file is rewritten
 * only when the run is resumed, and the old one is kept next to it. The first schema is 1, so there is nothing older yet.
 */
const MIGRATIONS: ReadonlyMap<number, Migration> = new Map();

/** The migrations that a reader applies, and the resulting schema. */
export interface Migrations {
  readonly to: number;
  readonly steps: ReadonlyMap<number, Migration>;
}

export const TODAY: Migrations = { to: LOG_VERSION, steps: MIGRATIONS };

/** The schema in a log's first line; undefined if that line isn't the start of a run. */
export function schemaOf(first: unknown): number | undefined {
  if (!isObject(first) || first.type !== "started") return undefined;
  return typeof first.schema === "number" && Number.isSafeInteger(first.schema) ? first.schema : undefined;
}

/** Converts an event of schema `from` to the current one. A value that can't be migrated is returned as it is. */
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

/** The readable part of a log. */
export interface StoredLog {
  readonly events: readonly AgentEvent[];
  /** Why nothing can be added to the log, as a sentence; undefined if the run can be resumed. */
  readonly readOnly?: Sentence;
  /** The log has an older schema and must be rewritten before anything is added. */
  readonly older: boolean;
  /** The last line is unfinished, because the program ended while it wrote. It's skipped, and nothing else is missing. */
  readonly torn: boolean;
}

/** Reads the readable part of a run's log. Nothing is ever changed or deleted. */
export async function readLog(folder: string): Promise<StoredLog> {
  return parseLog(await fileText(join(folder, LOG_FILE), MOST_LOG_BYTES));
}

/** The events in a log's text. A line that isn't an event, or is out of order, ends the good part; one of an unknown type doesn't. */
export function parseLog(text: string, migrations: Migrations = TODAY): StoredLog {
  const lines = text.split("\n");
  const torn = lines.pop() !== "";
  const schema = schemaOf(lineValue(lines[0] ?? ""));
  const about = { older: schema !== undefined && schema < migrations.to, torn };
  const events: AgentEvent[] = [];
  const restorer = new Restorer();
  for (const line of lines) {
    const value = migrated(restorer.unfold(lineValue(line)), schema, migrations);
    const event = readEvent(value, events.length);
    if (!event) return { events, readOnly: why(value, events, lines.length), ...about };
    events.push(event);
  }
  const newer = newerSchema(events[0]);
  if (newer !== undefined) return { events, readOnly: newer, ...about };
  return events[0]?.type === "started" ? { events, ...about } : { events, readOnly: NO_START, ...about };
}

const NO_START = displayText("trouble.logWithoutStart");

function newerSchema(first: AgentEvent | undefined): Sentence | undefined {
  return first?.type === "started" && first.schema > LOG_VERSION
    ? displayText("trouble.runFromNewerVersion")
    : undefined;
}

function why(value: unknown, events: readonly AgentEvent[], lines: number): Sentence {
  const newer = newerSchema(events[0]);
  if (newer !== undefined) return newer;
  if (events.length === 0) return NO_START;
  const what =
    value === undefined ? displayText("trouble.lineDamaged") : displayText("trouble.lineUnconnected");
  return displayText("trouble.logLineDamaged", { value: events.length + 1, lines, what });
}
