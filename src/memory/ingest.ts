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
}

/** The pieces of a document, each with its place. */
export function documentMemories({ kind, source, title, text, run }: Document): readonly NewMemory[] {
  const parts = chunks(text);
  return parts.map((part, index) => {
    const lines = `lines ${part.fromLine} to ${part.toLine}`;
    const place = kind === "file" ? lines : `part ${index + 1} of ${parts.length}`;
    const heading = title && index > 0 ? `${title} (continued)\n` : title ? `${title}\n` : "";
    return { kind, source, place, text: heading + part.text, ...(run === undefined ? {} : { run }) };
  });
}

/** Remembers a document in place of what was remembered of it before. */
export async function ingest(store: MemoryStore, document: Document): Promise<readonly string[]> {
  const { kind, source } = document;
  const ids = await store.add(documentMemories(document));
  const current = new Set(ids);
  const stale = [...store.all()].filter(
    (item) => item.kind === kind && item.source === source && !current.has(item.id),
  );
  if (stale.length > 0 && store.state.mode === "writing") await store.remove(stale.map(({ id }) => id));
  return ids;
}
