import { SCHEMA } from "../core/event.ts";
import { isObject, type Json } from "../core/json.ts";

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

export const TODAY: Migrations = { to: SCHEMA, steps: MIGRATIONS };

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
