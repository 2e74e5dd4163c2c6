import { packagedGrammar } from "../../../src/node/grammar-files.ts";
import { loadShellReader } from "../../../src/safety/shell/load.ts";
import type { Dialect, ShellReader } from "../../../src/safety/shell/reading.ts";

const loaded = new Map<Dialect, Promise<ShellReader>>();

/** A reader of a shell's language, loaded once for all tests. */
export function readerOf(dialect: Dialect): Promise<ShellReader> {
  const known = loaded.get(dialect) ?? loadShellReader(dialect, packagedGrammar);
  loaded.set(dialect, known);
  return known;
}
