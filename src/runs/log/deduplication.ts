import { isObject, type Json, tryJson } from "../../core/base/json.ts";
import { NO_THOUGHTS, type Reply } from "../../core/reply/reply.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { storedEvent } from "../../schema/readers.ts";
import { replaceValues } from "./map-texts.ts";

/** Texts shorter than this stand where they are: a place would hardly be shorter. */
const MIN_REFERENCED_CHARS = 40;

/** A JSON value with what its places stand for in their stead. A place of which nothing is known stays as it is. */
function resolveReferences(value: unknown, known: (place: Json) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, known));
  if (!isObject(value)) return value;
  return (
    known(value) ??
    Object.fromEntries(Object.entries(value).map(([name, field]) => [name, resolveReferences(field, known)]))
  );
}

/**
 * Step after step much the same is recalled and planned. In the file, a longer text or list that stood in an earlier such event names its
 * place there.
 */

/** Events in which things come again. */
type Repeating = Extract<AgentEvent, { readonly type: "asked" | "recalled" | "planned" }>;

function repeats({ type }: { readonly type?: unknown }): boolean {
  return type === "asked" || type === "recalled" || type === "planned";
}

/** Stands for a text or a list: the number of an event, and which of the longer ones in it this is. */
interface ValueReference {
  readonly $seen: readonly [seq: number, index: number];
  readonly list?: true;
}

/** So many are known at a time; the one that came last the longest ago is forgotten first. */
const MOST = 256;

/** Folds the repeating events of one log, in their order. */
class RepeatedValues {
  private readonly places = new Map<string, ValueReference>();

  /** The event with the places of what stood in earlier ones. One with nothing of that kind is given back. */
  fold(event: Repeating): object {
    this.forgetFrom(event.seq);
    const folded = replaceValues(event, (value) => this.places.get(longer(value) ?? "") ?? value);
    for (const [index, value] of longerIn(event).entries()) {
      const list = Array.isArray(value) ? ({ list: true } as const) : {};
      this.keep(longer(value) ?? "", { $seen: [event.seq, index], ...list });
    }
    return folded === event ? event : { ...Object(folded), folded: true };
  }

  /** An event with such a number was never written. */
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

/** Unfolds the repeating events of one log, in their order. */
class SeenValues {
  private readonly seen = new Map<unknown, readonly unknown[]>();

  /** The event, whole. One of which something cannot be found stays as it is, and is then no event. */
  unfold(event: Json): unknown {
    const unfolded = event.folded === true ? this.unfolded(event) : event;
    const values = longerIn(unfolded);
    if (values.length > 0) this.seen.set(event.seq, values);
    return unfolded;
  }

  private unfolded({ folded: _folded, ...event }: Json): unknown {
    return resolveReferences(event, (place) => {
      if (!isValueReference(place)) return undefined;
      const [seq, index] = place.$seen;
      return this.seen.get(seq)?.[index];
    });
  }
}

/** Something of the kind that a place stands for, with nothing in it; undefined for what is no place. */
function emptied(place: Json): "" | readonly [] | undefined {
  if (!isValueReference(place)) return undefined;
  return place.list === true ? [] : "";
}

function isValueReference(value: Json): value is Json & ValueReference {
  return Array.isArray(value.$seen) && value.$seen.length === 2 && value.$seen.every(Number.isSafeInteger);
}

/** A text or a list that is long enough to be named by its place, as JSON; undefined for anything else. */
function longer(value: unknown): string | undefined {
  if (typeof value !== "string" && !Array.isArray(value)) return undefined;
  const json = JSON.stringify(value);
  return json.length >= MIN_REFERENCED_CHARS ? json : undefined;
}

/** The longer texts and lists in an event, each before what is in it. */
function longerIn(event: unknown): readonly unknown[] {
  const found: unknown[] = [];
  replaceValues(event, (value) => {
    if (longer(value) !== undefined) found.push(value);
    return value;
  });
  return found;
}

/**
 * A reply is stored as the model wrote it and as it was read, and its arguments once more when its command begins. In the file, what was
 * read names the places of its thoughts and its longer texts in what was written, so that each text stands there once.
 */

/** Stands for a text: the place of that text in the raw reply, as names and numbers. */
interface TextReference {
  readonly $raw: readonly string[];
  /** White space around the text was left out as it was read. */
  readonly trimmed?: true;
}

/** Stands for all of the thoughts, where they were read as they were written. */
const THOUGHTS = { $raw: ["thoughts"], whole: true } as const;

/** Folds the events of one log, in their order, into what stands in the file. */
export class Deduplicator {
  private readonly seen = new RepeatedValues();
  /** Undefined where nothing can be folded. */
  private places: ReadonlyMap<string, TextReference> | undefined;
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
        this.places = referencesIn(raw);
        const reply = this.places ? this.foldedReply(event.reply, raw) : event.reply;
        return reply === event.reply ? event : { ...event, reply, folded: true };
      }
      case "began": {
        const args = event.step === this.step ? this.folded(event.args) : event.args;
        return args === event.args ? event : { ...event, args, folded: true };
      }
      case "unknown":
        return storedEvent(event);
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
export class Restorer {
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
    return resolveReferences(event, (place) => (isTextReference(place) ? valueAt(raw, place) : undefined));
  }
}

/** A line whose folded texts are left empty, for readers that do not look at them. */
export function withoutTexts(value: unknown): unknown {
  if (!isObject(value) || value.folded !== true) return value;
  const { folded: _folded, ...event } = value;
  return resolveReferences(event, (place) => {
    if (!isTextReference(place)) return emptied(place);
    return place.whole === true ? NO_THOUGHTS : "";
  });
}

function isTextReference(value: Json): value is Json & TextReference {
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
function referencesIn(raw: unknown): ReadonlyMap<string, TextReference> | undefined {
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

function valueAt(raw: unknown, { $raw, trimmed, whole }: Json & TextReference): unknown {
  let value = raw;
  for (const name of $raw) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Object.entries(value).find(([key]) => key === name)?.[1];
  }
  if (whole === true) return isObject(value) ? value : undefined;
  if (typeof value !== "string") return undefined;
  return trimmed ? value.trim() : value;
}
