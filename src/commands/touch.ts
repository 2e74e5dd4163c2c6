import type { Touch } from "../core/command.ts";
import type { Place } from "../core/ports.ts";

/** A place as a command uses it, under all the names that it has there. */
export function touchOf({ path, via }: Place, how: Touch["how"]): Touch {
  return { path, how, ...(via ? { via } : {}) };
}
