import { chunks } from "./chunks.ts";
import { MemoryError } from "./memory-error.ts";
import { type MemoryItem, memoryItem, type NewMemory } from "./memory-item.ts";

/** A text up to this length is one memory. */
const MAX_CHARS = 4_000;

/** The items that memories become: redacted, and long ones in pieces. Throws `MemoryError` at one without a word. */
export function itemsOf(
  memories: readonly NewMemory[],
  redact: (text: string) => string,
  now: Date,
): readonly MemoryItem[] {
  return memories.flatMap((memory) => {
    const text = redact(memory.text).trim();
    if (text === "")
      throw new MemoryError("There is nothing to remember: the text is empty. Give it some words.");
    return pieces({ ...memory, text }).map((piece) => memoryItem(piece, now));
  });
}

function pieces(memory: NewMemory): readonly NewMemory[] {
  if (memory.text.length <= MAX_CHARS) return [memory];
  const parts = chunks(memory.text);
  return parts.map(({ text }, index) => {
    const part = `part ${index + 1} of ${parts.length}`;
    return { ...memory, text, place: memory.place ? `${memory.place}, ${part}` : part };
  });
}
