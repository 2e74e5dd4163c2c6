import { createMemoryItem, type MemoryItem } from "../../../src/memory/store/memory-item.ts";

/** A memory made of a text alone. */
export function note(text: string, at = "2026-01-02T03:04:05.000Z"): MemoryItem {
  return createMemoryItem({ kind: "note", text, source: "user", at }, new Date(at));
}
