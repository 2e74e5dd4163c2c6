import type { AgentEvent } from "../core/event.ts";
import type { Json } from "../core/json.ts";
import { replaceValues } from "./map-texts.ts";
import { SHORTEST, withoutPlaces } from "./places.ts";

/**
 * Step after step much the same is recalled and planned. In the file, a longer text or list that stood in an earlier such event names its
 * place there.
 */

/** Events in which things come again. */
type Repeating = Extract<AgentEvent, { readonly type: "asked" | "recalled" | "planned" }>;

export function repeats({ type }: { readonly type?: unknown }): boolean {
  return type === "asked" || type === "recalled" || type === "planned";
}

/** Stands for a text or a list: the number of an event, and which of the longer ones in it this is. */
interface Place {
  readonly $seen: readonly [seq: number, index: number];
  readonly list?: true;
}

/** So many are known at a time; the one that came last the longest ago is forgotten first. */
const MOST = 256;

/** Folds the repeating events of one log, in their order. */
export class Repeats {
  private readonly places = new Map<string, Place>();

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

  private keep(key: string, place: Place): void {
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
export class SeenValues {
  private readonly seen = new Map<unknown, readonly unknown[]>();

  /** The event, whole. One of which something cannot be found stays as it is, and is then no event. */
  unfold(event: Json): unknown {
    const unfolded = event.folded === true ? this.unfolded(event) : event;
    const values = longerIn(unfolded);
    if (values.length > 0) this.seen.set(event.seq, values);
    return unfolded;
  }

  private unfolded({ folded: _folded, ...event }: Json): unknown {
    return withoutPlaces(event, (place) => {
      if (!isPlace(place)) return undefined;
      const [seq, index] = place.$seen;
      return this.seen.get(seq)?.[index];
    });
  }
}

/** Something of the kind that a place stands for, with nothing in it; undefined for what is no place. */
export function emptied(place: Json): "" | readonly [] | undefined {
  if (!isPlace(place)) return undefined;
  return place.list === true ? [] : "";
}

function isPlace(value: Json): value is Json & Place {
  return Array.isArray(value.$seen) && value.$seen.length === 2 && value.$seen.every(Number.isSafeInteger);
}

/** A text or a list that is long enough to be named by its place, as JSON; undefined for anything else. */
function longer(value: unknown): string | undefined {
  if (typeof value !== "string" && !Array.isArray(value)) return undefined;
  const json = JSON.stringify(value);
  return json.length >= SHORTEST ? json : undefined;
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
