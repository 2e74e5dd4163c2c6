import type { AgentEvent } from "./events.ts";
import { normalizeWebAddress } from "./formats.ts";
import { isLoggedEvent, isNewerEvent, isPanelRequest } from "./host-validators.ts";
import type { PanelRequest } from "./panel-messages.ts";

/**
 * Parses an event with this number from a log's line; undefined for any other value, because a log may come from anywhere. An event whose
 * type only a newer version knows becomes an unknown event.
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

/** The object for an event in a log or an export; an unknown event keeps its own. */
export function convertToStoredEvent(event: AgentEvent): object {
  return event.type === "unknown" ? { ...event.original, seq: event.seq, at: event.at } : event;
}

/** Parses a message from the panel; undefined if it isn't exactly a request. */
export function readPanelRequest(value: unknown): PanelRequest | undefined {
  if (!isPanelRequest(value)) return undefined;
  return value.type === "openLink" && normalizeWebAddress(value.address) !== value.address ? undefined : value;
}
