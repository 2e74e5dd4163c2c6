import { Ajv, type ValidateFunction } from "ajv";
import type { AgentEvent } from "../core/event.ts";
import { EVENT_SCHEMA } from "./event-schema.ts";

/** A test sees to it that the schema is one, so that nobody waits for that here. */
const OPTIONS = { strict: false, discriminator: true, validateSchema: false } as const;

let compiled: ValidateFunction<AgentEvent> | undefined;

/** Tells whether a value is an event with this number; a log may come from anywhere, so nothing is taken on trust. */
export function isEvent(value: unknown, seq: number): value is AgentEvent {
  compiled ??= new Ajv(OPTIONS).compile<AgentEvent>(EVENT_SCHEMA);
  return compiled(value) && value.seq === seq && !Number.isNaN(Date.parse(value.at));
}
