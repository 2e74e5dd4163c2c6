import type { AgentEvent } from "./events.ts";

/** The version of the event log's format that this program writes. */
export const LOG_VERSION = 1;

/** The version of the file that lists a folder's runs. A file with another version is ignored, and the logs are read again. */
export const DIGESTS_VERSION = 6;

/** The version of the file with the user's consents to plugins. A file with another version is ignored, and the user is asked again. */
export const CONSENTS_VERSION = 1;

/** The version of the file with knowledge about MCP servers. A file with another version is ignored. */
export const MCP_MEMORY_VERSION = 1;

/** Maximum size of a message to the panel, in characters of its JSON. */
export const MAX_MESSAGE_CHARS = 64 * 1024;

/** Texts in events and pages are cut in their middle to about this many characters; `showOutcome` opens an outcome whole. */
export const SHOWN_TEXT_CHARS = 4_000;

/** Limits on the content of a row in a shared log. A server omits longer texts before it sends the row. */
export const SHARED_LIMITS = {
  project: 200,
  author: 200,
  source: 500,
  /** Characters; a memory is cut into shorter pieces when it is made. */
  text: 8_000,
  /** Numbers of a vector. */
  vector: 4_096,
  /** Rows of one answer. */
  rows: 1_000,
} as const;

/** A web address in its normalized spelling; undefined for any other link. */
export function normalizeWebAddress(link: string): string | undefined {
  const url = URL.parse(link);
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  return url && isWeb && url.username === "" && url.password === "" ? url.href : undefined;
}

/** Name of an event's type for people: of an unknown event, the name in its line. */
export function getEventTypeName(event: AgentEvent): string {
  return event.type === "unknown" ? String(event.original.type) : event.type;
}

/** The place of missing events, in English. */
export function describeMissingEvents({ events }: { readonly events: number }): string {
  return `${events === 1 ? "1 event is" : `${events} events are`} missing here, because the log is damaged.`;
}
