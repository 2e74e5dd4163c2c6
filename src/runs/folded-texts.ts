import type { AgentEvent } from "../core/event.ts";
import { jsonOf } from "./read-event.ts";

/**
 * A reply is stored as the model wrote it and as it was read, and its arguments once more when its command begins. In the file, what was
 * read names the places of its longer texts in what was written, so that each text stands there once.
 */

type Json = { readonly [name: string]: unknown };

/** Stands for a text: the place of that text in the raw reply, as names and numbers. */
interface Place {
  readonly $raw: readonly string[];
  /** White space around the text was left out as it was read. */
  readonly trimmed?: true;
}

/** Shorter texts stand where they are. */
const SHORTEST = 40;

/** Folds the events of one log, in their order, into what stands in the file. */
export class Folding {
  private places = new Map<string, Place>();
  private step = -1;

  /** The line's value. An event with nothing to fold is given back. */
  fold(event: AgentEvent): object {
    if (event.type === "replied") {
      this.step = event.step;
      this.places = placesIn(rawOf(event));
      const reply = this.folded(event.reply);
      return reply === event.reply ? event : { ...event, reply, folded: true };
    }
    if (event.type !== "began" || event.step !== this.step) return event;
    const args = this.folded(event.args);
    return args === event.args ? event : { ...event, args, folded: true };
  }

  private folded(value: unknown): unknown {
    if (typeof value === "string") return this.places.get(value) ?? value;
    if (typeof value !== "object" || value === null) return value;
    const fields = Object.entries(value).map(([name, field]) => [name, field, this.folded(field)] as const);
    if (fields.every(([, before, after]) => before === after)) return value;
    const after = fields.map(([name, , field]) => [name, field] as const);
    return Array.isArray(value) ? after.map(([, field]) => field) : Object.fromEntries(after);
  }
}

/** Unfolds the lines of one log, in their order. */
export class Unfolding {
  private raw: unknown;
  private step: unknown;

  /** The event that a line stands for. One whose texts cannot be found stays as it is, and is then no event. */
  unfold(value: unknown): unknown {
    if (!isObject(value)) return value;
    if (value.type === "replied") {
      this.step = value.step;
      this.raw = rawOf(value);
    }
    if (value.folded !== true) return value;
    const raw = value.type === "replied" || value.step === this.step ? this.raw : undefined;
    const { folded: _folded, ...event } = value;
    return unfolded(event, (place) => textAt(raw, place));
  }
}

/** A line whose folded texts are left empty, for readers that do not look at them. */
export function withoutTexts(value: unknown): unknown {
  if (!isObject(value) || value.folded !== true) return value;
  const { folded: _folded, ...event } = value;
  return unfolded(event, () => "");
}

function unfolded(value: unknown, textOf: (place: Place) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => unfolded(item, textOf));
  if (!isObject(value)) return value;
  if (isPlace(value)) return textOf(value) ?? value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, unfolded(field, textOf)]));
}

function isPlace(value: Json): value is Json & Place {
  return Array.isArray(value.$raw) && value.$raw.every((name) => typeof name === "string");
}

/** The object that a reply was read from: its first call's arguments, or its text. */
function rawOf(replied: unknown): unknown {
  if (!isObject(replied)) return undefined;
  const [call] = Array.isArray(replied.calls) ? replied.calls : [];
  const text = isObject(call) ? call.arguments : replied.text;
  const raw = typeof text === "string" ? jsonOf(text) : undefined;
  return isObject(raw) ? raw : undefined;
}

/** The longer texts of a reply, each with its place. A reply that itself holds something like a place is not folded. */
function placesIn(raw: unknown): Map<string, Place> {
  const places = new Map<string, Place>();
  let holdsPlace = false;
  const visit = (value: unknown, place: readonly string[]): void => {
    if (typeof value === "string" && value.length >= SHORTEST) {
      if (value.trim() !== value) places.set(value.trim(), { $raw: place, trimmed: true });
      places.set(value, { $raw: place });
    }
    if (typeof value !== "object" || value === null) return;
    holdsPlace ||= "$raw" in value;
    for (const [name, field] of Object.entries(value)) visit(field, [...place, name]);
  };
  visit(raw, []);
  return holdsPlace ? new Map() : places;
}

function textAt(raw: unknown, { $raw, trimmed }: Place): unknown {
  let value = raw;
  for (const name of $raw) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Object.entries(value).find(([key]) => key === name)?.[1];
  }
  if (typeof value !== "string") return undefined;
  return trimmed ? value.trim() : value;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
