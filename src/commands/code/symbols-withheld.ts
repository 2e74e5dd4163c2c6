import type { Symbols } from "../../core/symbols.ts";

/** Why names cannot be looked up, as a sentence; undefined when they can. */
export function symbolsWithheld(symbols: Symbols | undefined): string | undefined {
  return symbols ? undefined : "There is no language service here. Look for names with search_files.";
}
