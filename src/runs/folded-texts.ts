import type { AgentEvent } from "../core/event.ts";
import { isObject, type Json, tryJson } from "../core/json.ts";
import { NO_THOUGHTS, type Reply } from "../core/reply.ts";
import { replaceValues } from "./map-texts.ts";
import { SHORTEST, withoutPlaces } from "./places.ts";
import { emptied, Repeats, repeats, SeenValues } from "./seen-values.ts";

/**
 * A reply is stored as the model wrote it and as it was read, and its arguments once more when its command begins. In the file, what was
 * read names the places of its thoughts and its longer texts in what was written, so that each text stands there once.
 */

/** Stands for a text: the place of that text in the raw reply, as names and numbers. */
interface Place {
  readonly $raw: readonly string[];
  /** White space around the text was left out as it was read. */
  readonly trimmed?: true;
}

/** Stands for all of the thoughts, where they were read as they were written. */
const THOUGHTS = { $raw: ["thoughts"], whole: true } as const;

/** Folds the events of one log, in their order, into what stands in the file. */
export class Folding {
  private readonly seen = new Repeats();
  /** Undefined where nothing can be folded. */
  private places: ReadonlyMap<string, Place> | undefined;
  private step = -1;

  /** The line's value. An event with nothing to fold is given back. */
  fold(event: AgentEvent): object {
    switch (event.type) {
      case "asked":
      case "recalled":
      case "planned":
        return this.seen.fold(event);
      case "replied": {
        const raw = rawOf(event);
        this.step = event.step;
        this.places = placesIn(raw);
        const reply = this.places ? this.foldedReply(event.reply, raw) : event.reply;
        return reply === event.reply ? event : { ...event, reply, folded: true };
      }
      case "began": {
        const args = event.step === this.step ? this.folded(event.args) : event.args;
        return args === event.args ? event : { ...event, args, folded: true };
      }
      default:
        return event;
    }
  }

  private foldedReply(reply: Reply, raw: unknown): unknown {
    const written = isObject(raw) ? JSON.stringify(raw.thoughts) : undefined;
    const isWhole = reply.kind === "proposal" && JSON.stringify(reply.thoughts) === written;
    return isWhole ? { ...reply, thoughts: THOUGHTS, call: this.folded(reply.call) } : this.folded(reply);
  }

  private folded(value: unknown): unknown {
    return replaceValues(value, (part) =>
      typeof part === "string" ? (this.places?.get(part) ?? part) : part,
    );
  }
}

/** Unfolds the lines of one log, in their order. */
export class Unfolding {
  private readonly seen = new SeenValues();
  private raw: unknown;
  private step: unknown;

  /** The event that a line stands for. One whose texts cannot be found stays as it is, and is then no event. */
  unfold(value: unknown): unknown {
    if (!isObject(value)) return value;
    if (repeats(value)) return this.seen.unfold(value);
    if (value.type === "replied") {
      this.step = value.step;
      this.raw = rawOf(value);
    }
    if (value.folded !== true) return value;
    const raw = value.type === "replied" || value.step === this.step ? this.raw : undefined;
    const { folded: _folded, ...event } = value;
    return withoutPlaces(event, (place) => (isPlace(place) ? valueAt(raw, place) : undefined));
  }
}

/** A line whose folded texts are left empty, for readers that do not look at them. */
export function withoutTexts(value: unknown): unknown {
  if (!isObject(value) || value.folded !== true) return value;
  const { folded: _folded, ...event } = value;
  return withoutPlaces(event, (place) => {
    if (!isPlace(place)) return emptied(place);
    return place.whole === true ? NO_THOUGHTS : "";
  });
}

function isPlace(value: Json): value is Json & Place {
  return Array.isArray(value.$raw) && value.$raw.every((name) => typeof name === "string");
}

/** The object that a reply was read from: its first call's arguments, or its text. */
function rawOf(replied: unknown): unknown {
  if (!isObject(replied)) return undefined;
  const [call] = Array.isArray(replied.calls) ? replied.calls : [];
  const text = isObject(call) ? call.arguments : replied.text;
  const raw = typeof text === "string" ? tryJson(text) : undefined;
  return isObject(raw) ? raw : undefined;
}

/** The longer texts of a reply, each with its place; undefined for a reply that itself holds something like a place. */
function placesIn(raw: unknown): ReadonlyMap<string, Place> | undefined {
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
  return holdsPlace ? undefined : places;
}

function valueAt(raw: unknown, { $raw, trimmed, whole }: Json & Place): unknown {
  let value = raw;
  for (const name of $raw) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Object.entries(value).find(([key]) => key === name)?.[1];
  }
  if (whole === true) return isObject(value) ? value : undefined;
  if (typeof value !== "string") return undefined;
  return trimmed ? value.trim() : value;
}
