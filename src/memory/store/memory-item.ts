import { createHmac, timingSafeEqual } from "node:crypto";
import { isObject, tryJson } from "../../core/base/json.ts";
import { isSourceKind, type Source } from "../../core/commands/outcome.ts";
import { sha256 } from "../../disk/sha256.ts";

/** The kind of a memory: a step of a run, a note of the agent or the user, a part of a page or a file. */
export type MemoryKind = "episode" | "note" | "page" | "file";

/** Something to remember. */
export interface NewMemory {
  readonly kind: MemoryKind;
  readonly text: string;
  /** A name that people recognize: an address, a path, the task of a run. */
  readonly source: string;
  /** The place in the source, in words: `lines 40 to 82`, `part 2 of 5`. */
  readonly place?: string;
  /** The run that made it. */
  readonly run?: string;
  readonly step?: number;
  /** ISO 8601; absent: now. */
  readonly at?: string;
  /** The name of the author if it's another person. It's only a claim. */
  readonly author?: string;
  /** The untrusted sources that it may contain, directly or through other memories; empty: none. Absent: unknown. */
  readonly sources?: readonly Source[];
}

/** A stored memory. */
export interface MemoryItem extends NewMemory {
  /** A hash of the content, so that the same thing is remembered once. */
  readonly id: string;
  readonly at: string;
  /** Proof that this user's program made the memory; a file from a repository can't have it. */
  readonly proof?: string;
}

/** Creates the item for a new memory. */
export function createMemoryItem(memory: NewMemory, now: Date): MemoryItem {
  const { kind, source, place = "", run = "", step = -1, text } = memory;
  const identity = JSON.stringify([kind, source, place, run, step, text]);
  const id = sha256(identity).slice(0, 24);
  return { ...memory, id, at: memory.at ?? now.toISOString() };
}

/** The text whose words are indexed. */
export function getIndexedText({ text, source }: MemoryItem): string {
  return `${text}\n${source}`;
}

/** The source for people and the model, with the place in it, and with the author if it's someone else. */
export function formatMemorySource({ source, place = "", author = "" }: MemoryItem): string {
  return [source, place, author && `by ${author}`].filter((part) => part !== "").join(", ");
}

/** A memory as an item's metadata in a Vectra index, which filters can use. */
export function createItemMetadata({
  id: _,
  sources,
  ...fields
}: MemoryItem): Record<string, string | number | boolean> {
  return { ...fields, ...(sources ? { sources: JSON.stringify(sources) } : {}) };
}

/** Adds the proof that the holder of the key made the item. */
export function signMemoryItem(item: MemoryItem, key: string): MemoryItem {
  return { ...item, proof: computeItemProof(item, key) };
}

/** Whether an item is proven to contain no text from others. */
export function isClean(item: MemoryItem, key: string): boolean {
  return item.sources?.length === 0 && isSigned(item, key);
}

/** Whether the holder of the key made the item. */
export function isSigned(item: MemoryItem, key: string): boolean {
  if (item.proof === undefined) return false;
  const [given, right] = [Buffer.from(item.proof), Buffer.from(computeItemProof(item, key))];
  return given.length === right.length && timingSafeEqual(given, right);
}

function computeItemProof({ id, kind, text, source, place, run, step, at, sources }: MemoryItem, key: string): string {
  const names = sources?.map(({ kind: of, name }) => [of, name]) ?? null;
  const all = [id, kind, text, source, place ?? null, run ?? null, step ?? null, at, names];
  return createHmac("sha256", key).update(JSON.stringify(all)).digest("hex");
}

/** Limits for an author's name and a text from others. New memories are cut into far shorter pieces. */
const MAX_AUTHOR_CHARS = 200;
const MAX_TEXT_CHARS = 100_000;

const KINDS: ReadonlySet<string> = new Set<MemoryKind>(["episode", "note", "page", "file"]);

/** Reads the item with an id; undefined if the fields aren't valid. */
export function readItem(id: unknown, fields: Readonly<Record<string, unknown>>): MemoryItem | undefined {
  const { kind, text, source, place, run, step, at, author, proof } = fields;
  if (typeof id !== "string" || id === "" || !isKind(kind)) return undefined;
  if (typeof text !== "string" || typeof source !== "string" || typeof at !== "string") return undefined;
  if (text.length + source.length > MAX_TEXT_CHARS) return undefined;
  const item: { -readonly [Field in keyof MemoryItem]: MemoryItem[Field] } = { id, kind, text, source, at };
  if (typeof place === "string") item.place = place;
  if (typeof run === "string") item.run = run;
  if (typeof step === "number") item.step = step;
  if (typeof author === "string") item.author = author.slice(0, MAX_AUTHOR_CHARS);
  if (typeof proof === "string") item.proof = proof;
  const sources = readSources(fields.sources);
  if (sources) item.sources = sources;
  return item;
}

function isKind(kind: unknown): kind is MemoryKind {
  return typeof kind === "string" && KINDS.has(kind);
}

/** Reads sources, which are JSON in an index because Vectra's metadata can't hold lists. */
function readSources(value: unknown): readonly Source[] | undefined {
  const list = typeof value === "string" ? tryJson(value) : value;
  return Array.isArray(list) && list.every(isSource) ? list.map(({ kind, name }) => ({ kind, name })) : undefined;
}

function isSource(value: unknown): value is Source {
  if (!isObject(value) || typeof value.kind !== "string" || typeof value.name !== "string") return false;
  return isSourceKind(value.kind);
}
