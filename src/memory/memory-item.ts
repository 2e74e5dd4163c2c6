import { createHash } from "node:crypto";

/** What kind of thing is remembered: a step of a run, a thing somebody wanted kept, a part of a page or a file. */
export type MemoryKind = "episode" | "note" | "page" | "file";

/** Something to be remembered. */
export interface NewMemory {
  readonly kind: MemoryKind;
  readonly text: string;
  /** What a person would recognise: an address, a path, the name of a run. */
  readonly source: string;
  /** Where in the source, in words: `lines 40 to 82`, `part 2 of 5`. */
  readonly place?: string;
  /** The run it comes from. */
  readonly run?: string;
  readonly step?: number;
  /** ISO 8601; absent: now. */
  readonly at?: string;
}

/** A thing remembered. */
export interface MemoryItem extends NewMemory {
  /** Follows from what it is, so that the same thing is remembered once. */
  readonly id: string;
  readonly at: string;
}

/** The item a new memory becomes. */
export function memoryItem(memory: NewMemory, now: Date): MemoryItem {
  const { kind, source, place = "", run = "", step = -1, text } = memory;
  const identity = JSON.stringify([kind, source, place, run, step, text]);
  const id = createHash("sha256").update(identity).digest("hex").slice(0, 24);
  return { ...memory, id, at: memory.at ?? now.toISOString() };
}

const KINDS: ReadonlySet<string> = new Set<MemoryKind>(["episode", "note", "page", "file"]);

/** An item as it was stored under this id; undefined when these fields are not one. */
export function readItem(id: unknown, fields: Readonly<Record<string, unknown>>): MemoryItem | undefined {
  const { kind, text, source, place, run, step, at } = fields;
  if (typeof id !== "string" || id === "" || !isKind(kind)) return undefined;
  if (typeof text !== "string" || typeof source !== "string" || typeof at !== "string") return undefined;
  const item: { -readonly [Field in keyof MemoryItem]: MemoryItem[Field] } = { id, kind, text, source, at };
  if (typeof place === "string") item.place = place;
  if (typeof run === "string") item.run = run;
  if (typeof step === "number") item.step = step;
  return item;
}

function isKind(kind: unknown): kind is MemoryKind {
  return typeof kind === "string" && KINDS.has(kind);
}
