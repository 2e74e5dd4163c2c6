import type { MemoryItem } from "./memory-item.ts";

/** A few more than allowed are borne, so that not every new memory costs an old one its removal. */
const SLACK = 1.02;

/** The ids of the memories that have to go so that at most `max` stay: the oldest that nobody wrote down as a note. */
export function surplus(items: Iterable<MemoryItem>, count: number, max: number): readonly string[] {
  const ids: string[] = [];
  if (count <= max * SLACK) return ids;
  for (const item of items) {
    if (ids.length >= count - max) break;
    if (item.kind !== "note") ids.push(item.id);
  }
  return ids;
}
