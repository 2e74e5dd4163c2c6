import { setImmediate as untilIdle } from "node:timers/promises";
import type { Source } from "../core/outcome.ts";
import { chunks } from "./chunks.ts";
import type { NewMemory } from "./memory-item.ts";
import type { MemoryStore } from "./memory-store.ts";

/** A page or file to be remembered whole. */
export interface Document {
  readonly kind: "page" | "file";
  /** Its address or its path in the workspace. */
  readonly source: string;
  readonly title?: string;
  readonly text: string;
  readonly run?: string;
  /** The untrusted sources that may be in it; absent: unknown. */
  readonly sources?: readonly Source[];
}

/** The pieces of a document, each with its place. */
export function documentMemories(document: Document): readonly NewMemory[] {
  const { kind, source, title, text, run, sources } = document;
  const parts = chunks(text);
  return parts.map((part, index) => {
    const lines = `lines ${part.fromLine} to ${part.toLine}`;
    const place = kind === "file" ? lines : `part ${index + 1} of ${parts.length}`;
    const heading = title && index > 0 ? `${title} (continued)\n` : title ? `${title}\n` : "";
    const from = { ...(run === undefined ? {} : { run }), ...(sources ? { sources } : {}) };
    return { kind, source, place, text: heading + part.text, ...from };
  });
}

/** So many memories are looked at before the event loop gets a turn. */
const TURN = 1_000;

/** Remembers a document in place of what was remembered of it before. */
export async function ingest(store: MemoryStore, document: Document): Promise<readonly string[]> {
  const { kind, source } = document;
  const ids = await store.add(documentMemories(document));
  if (store.state.mode !== "writing") return ids;
  const [current, stale]: [ReadonlySet<string>, string[]] = [new Set(ids), []];
  let looked = 0;
  for (const item of store.all()) {
    if (++looked % TURN === 0) await untilIdle();
    if (item.kind === kind && item.source === source && !current.has(item.id)) stale.push(item.id);
  }
  if (stale.length > 0) await store.remove(stale);
  return ids;
}
