import type { AgentEvent } from "./events.ts";
import { normalizeWebAddress } from "./formats.ts";
import { isLoggedEvent, isNewerEvent, isPanelRequest } from "./host-validators.ts";
import type { PanelRequest } from "./panel-messages.ts";

/**
 * Reads an event with this number from a log's line; undefined for any other value, because a log may come from anywhere.
 * An event of a type that only a newer version knows is kept as an unknown one.
 */
export function readEvent(value: unknown, seq: number): AgentEvent | undefined {
  const event = isLoggedEvent(value) ? value : readNewerEvent(value);
  return event?.seq === seq && !Number.isNaN(Date.parse(event.at)) ? event : undefined;
}

function readNewerEvent(value: unknown): AgentEvent | undefined {
  if (!isNewerEvent(value)) return undefined;
  const { seq, at } = value;
  return { seq, at, type: "unknown", original: { ...value } };
}

/** The object that represents an event in a log or an export: an unknown event's own. */
export function convertToStoredEvent(event: AgentEvent): object {
  return event.type === "unknown" ? { ...event.original, seq: event.seq, at: event.at } : event;
}

/** A message from the panel; undefined for anything that isn't exactly one. */
export function readPanelRequest(value: unknown): PanelRequest | undefined {
  if (!isPanelRequest(value)) return undefined;
  return value.type === "openLink" && normalizeWebAddress(value.address) !== value.address
    ? undefined
    : value;
}
