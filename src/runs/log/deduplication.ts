import { isObject, type Json, replaceValues, tryJson } from "../../core/base/json.ts";
import { NO_THOUGHTS, type Reply } from "../../core/reply/reply.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { convertToStoredEvent } from "../../schema/readers.ts";

/** Shorter texts aren't replaced, because a reference would hardly be shorter. */
const MIN_REFERENCED_CHARS = 40;

/** Replaces references in a JSON value with the values that they refer to. An unknown reference stays as it is. */
function resolveReferences(value: unknown, known: (place: Json) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, known));
  if (!isObject(value)) return value;
  return (
    known(value) ??
    Object.fromEntries(Object.entries(value).map(([name, field]) => [name, resolveReferences(field, known)]))
  );
}

/**
 * Steps often recall and plan the same things. In the file, a longer text or list from an earlier such event is replaced
 * with a reference to it.
 */

/** Events with repeating contents. */
type Repeating = Extract<AgentEvent, { readonly type: "asked" | "recalled" | "planned" }>;

function isRepeatingEvent({ type }: { readonly type?: unknown }): boolean {
  return type === "asked" || type === "recalled" || type === "planned";
}

/** A reference to a text or a list: the number of an event, and the index among the longer values in it. */
interface ValueReference {
  readonly $seen: readonly [seq: number, index: number];
  readonly list?: true;
}

/** The number of remembered values; the least recently used one is forgotten first. */
const MOST = 256;

/** De-duplicates the repeating events of one log, in their order. */
class RepeatedValues {
  private readonly places = new Map<string, ValueReference>();

  /** The event with references to values of earlier ones. An event without repetitions is returned as it is. */
  fold(event: Repeating): object {
    this.forgetFrom(event.seq);
    const folded = replaceValues(event, (value) => this.places.get(formatIfLong(value) ?? "") ?? value);
    for (const [index, value] of collectLongValues(event).entries()) {
      const list = Array.isArray(value) ? ({ list: true } as const) : {};
      this.keep(formatIfLong(value) ?? "", { $seen: [event.seq, index], ...list });
    }
    return folded === event ? event : { ...Object(folded), folded: true };
  }

  /** Forgets events from a number on, because they were never written. */
  private forgetFrom(seq: number): void {
    for (const [key, { $seen }] of this.places) if ($seen[0] >= seq) this.places.delete(key);
  }

  private keep(key: string, place: ValueReference): void {
    const known = this.places.get(key) ?? place;
    this.places.delete(key);
    this.places.set(key, known);
    for (const oldest of this.places.keys()) {
      if (this.places.size <= MOST) return;
      this.places.delete(oldest);
    }
  }
}

/** Restores the repeating events of one log, in their order. */
class SeenValues {
  private readonly seen = new Map<unknown, readonly unknown[]>();

  /** The complete event. If a reference is unknown, it stays, and the value isn't a valid event. */
  unfold(event: Json): unknown {
    let isWhole = true;
    const findReferencedValue = (place: Json): unknown => {
      if (!isValueReference(place)) return undefined;
      const [seq, index] = place.$seen;
      const value = this.seen.get(seq)?.[index];
      isWhole &&= value !== undefined;
      return value;
    };
    const { folded, ...rest } = event;
    const unfolded = folded === true ? resolveReferences(rest, findReferencedValue) : event;
    const values = collectLongValues(unfolded);
    // Without the unknown values, the indices of the others would be wrong.
    if (isWhole && values.length > 0) this.seen.set(event.seq, values);
    return unfolded;
  }
}

/** A value of the kind that a reference refers to; undefined if the value isn't a reference. */
function fillReference(place: Json, text: string): string | readonly [] | undefined {
  if (!isValueReference(place)) return undefined;
  return place.list === true ? [] : text;
}

function isValueReference(value: Json): value is Json & ValueReference {
  return Array.isArray(value.$seen) && value.$seen.length === 2 && value.$seen.every(Number.isSafeInteger);
}

/** A text or a list that is long enough to be referenced, as JSON; undefined for anything else. */
function formatIfLong(value: unknown): string | undefined {
  if (typeof value !== "string" && !Array.isArray(value)) return undefined;
  const json = JSON.stringify(value);
  return json.length >= MIN_REFERENCED_CHARS ? json : undefined;
}

/** The longer texts and lists in an event, each before its own contents. */
function collectLongValues(event: unknown): readonly unknown[] {
  const found: unknown[] = [];
  replaceValues(event, (value) => {
    if (formatIfLong(value) !== undefined) found.push(value);
    return value;
  });
  return found;
}

/**
 * A log stores a reply as the model wrote it, as it was parsed, and its arguments again when its command begins. In the file, the parsed
 * thoughts and longer texts are references into the raw reply, so that each text is stored once.
 */

/** A reference to a text: its path in the raw reply, as names and numbers. */
interface TextReference {
  readonly $raw: readonly string[];
  /** White space around the text was removed by parsing. */
  readonly trimmed?: true;
}

/** A reference to all thoughts, if parsing didn't change them. */
const THOUGHTS = { $raw: ["thoughts"], whole: true } as const;

/** De-duplicates the events of one log, in their order, for the file. */
export class Deduplicator {
  private readonly seen = new RepeatedValues();
  /** Undefined if the reply can't be de-duplicated. */
  private places: ReadonlyMap<string, TextReference> | undefined;
  private step = -1;

  /** The value for the event's line. An event without repetitions is returned as it is. */
  fold(event: AgentEvent): object {
    switch (event.type) {
      case "asked":
      case "recalled":
      case "planned":
        return this.seen.fold(event);
      case "replied": {
        const raw = parseRawReply(event);
        this.step = event.step;
        this.places = findReferences(raw);
        const isAsked = event.of === undefined;
        const reply = this.places && isAsked ? this.foldReply(event.reply, raw) : event.reply;
        return reply === event.reply ? event : { ...event, reply, folded: true };
      }
      case "began": {
        const args = event.step === this.step ? this.foldValue(event.args) : event.args;
        return args === event.args ? event : { ...event, args, folded: true };
      }
      case "unknown":
        return convertToStoredEvent(event);
      default:
        return event;
    }
  }

  private foldReply(reply: Reply, raw: unknown): unknown {
    const written = isObject(raw) ? JSON.stringify(raw.thoughts) : undefined;
    const isWhole = reply.kind === "proposal" && JSON.stringify(reply.thoughts) === written;
    if (!isWhole) return this.foldValue(reply);
    const also = reply.also ? { also: this.foldValue(reply.also) } : {};
    const next = reply.next ? { next: this.foldValue(reply.next) } : {};
    return { ...reply, thoughts: THOUGHTS, call: this.foldValue(reply.call), ...also, ...next };
  }

  private foldValue(value: unknown): unknown {
    return replaceValues(value, (part) => (typeof part === "string" ? (this.places?.get(part) ?? part) : part));
  }
}

/** Restores the events from the lines of one log, in their order. */
export class Restorer {
  private readonly seen = new SeenValues();
  private raw: unknown;
  private step: unknown;

  /** Forgets the last reply, because events after it are missing. */
  skip(): void {
    this.raw = undefined;
  }

  /** The event of a line. If a reference is unknown, it stays, and the value isn't a valid event. */
  unfold(value: unknown): unknown {
    if (!isObject(value)) return value;
    if (isRepeatingEvent(value)) return this.seen.unfold(value);
    if (value.type === "replied") {
      this.step = value.step;
      this.raw = parseRawReply(value);
    }
    if (value.folded !== true) return value;
    const raw = value.type === "replied" || value.step === this.step ? this.raw : undefined;
    const { folded: _folded, ...event } = value;
    return resolveReferences(event, (place) => (isTextReference(place) ? resolveTextReference(raw, place) : undefined));
  }
}

/** Replaces the references in a line with `text`, for readers that don't need the texts or can't have them. */
export function replaceReferences(value: unknown, text = ""): unknown {
  if (!isObject(value) || value.folded !== true) return value;
  const { folded: _folded, ...event } = value;
  return resolveReferences(event, (place) => {
    if (!isTextReference(place)) return fillReference(place, text);
    return place.whole === true ? NO_THOUGHTS : text;
  });
}

function isTextReference(value: Json): value is Json & TextReference {
  return Array.isArray(value.$raw) && value.$raw.every((name) => typeof name === "string");
}

/** Parses the object behind a reply: its first call's arguments, or its text. The next call of an earlier reply is stored as a whole. */
function parseRawReply(replied: unknown): unknown {
  if (!isObject(replied)) return undefined;
  if (replied.of !== undefined) return isObject(replied.reply) ? replied.reply.call : undefined;
  const [call] = Array.isArray(replied.calls) ? replied.calls : [];
  const text = isObject(call) ? call.arguments : replied.text;
  const raw = typeof text === "string" ? tryJson(text) : undefined;
  return isObject(raw) ? raw : undefined;
}

/** The longer texts of a reply, each with its reference; undefined if the reply itself contains something like a reference. */
function findReferences(raw: unknown): ReadonlyMap<string, TextReference> | undefined {
  const places = new Map<string, TextReference>();
  let holdsPlace = false;
  const visit = (value: unknown, place: readonly string[]): void => {
    if (typeof value === "string" && value.length >= MIN_REFERENCED_CHARS) {
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

function resolveTextReference(raw: unknown, { $raw, trimmed, whole }: Json & TextReference): unknown {
  let value = raw;
  for (const name of $raw) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Object.entries(value).find(([key]) => key === name)?.[1];
  }
  if (whole === true) return isObject(value) ? value : undefined;
  if (typeof value !== "string") return undefined;
  return trimmed ? value.trim() : value;
}
