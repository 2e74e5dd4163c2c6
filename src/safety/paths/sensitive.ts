import { type Platform, segmentsBelow } from "./paths.ts";
import { CONTROLS, type ProtectedPaths, SECRETS } from "./sensitive-table.ts";

/** Why a file is protected, as half a sentence; undefined when it is not. */
export type Protection = string | undefined;

/** What touching a file in some way would endanger. */
export function protectionOf(
  touch: { readonly path: string; readonly how: "read" | "write" | "delete" },
  folders: readonly string[],
  platform: Platform,
): Protection {
  if (touch.path.length > LONGEST_PATH) return "has a path that is too long to be checked";
  const names = segmentsBelow(touch.path, folders, platform);
  return touch.how === "read" ? secretIn(names) : (secretIn(names) ?? controlIn(names));
}

/** What reading a path of these comparable names would give away. */
export function secretIn(names: readonly string[]): Protection {
  return found(SECRETS, names);
}

/** What changing a path of these comparable names would steer: programs, editors, agents, builds. */
export function controlIn(names: readonly string[]): Protection {
  if (names.some((name) => /~\d/.test(name))) return "has a short name, which may stand for a protected file";
  return found(CONTROLS, names);
}

/** Public keys, source files that only begin like a key (`id_map.ts`), and what shows others which secrets to fill in. */
const HARMLESS = /\.pub$|^id_.*\.\w|^\.env\.(?:example|sample|template|dist)$/;
const LONGEST_PATH = 4096;

function found(table: readonly ProtectedPaths[], names: readonly string[]): Protection {
  const { mayMatch, entries } = compiledTable(table);
  for (const [at, name] of names.entries()) {
    if (!mayMatch.test(name) || HARMLESS.test(name)) continue;
    const entry = entries.find(({ patterns }) => patterns.some((pattern) => fitsAt(pattern, names, at)));
    if (entry) return entry.why;
  }
  return undefined;
}

interface CompiledTable {
  /** Fits every name that a pattern of the table can begin with: one look tells most names apart. */
  readonly mayMatch: RegExp;
  readonly entries: readonly { readonly patterns: readonly (readonly RegExp[])[]; readonly why: string }[];
}

const compiled = new Map<readonly ProtectedPaths[], CompiledTable>();

function compiledTable(table: readonly ProtectedPaths[]): CompiledTable {
  const known = compiled.get(table);
  if (known) return known;
  const firsts = table.flatMap(({ paths }) => paths.map((path) => sourceOf(path.split("/")[0] ?? "")));
  const entries = table.map(({ paths, why }) => ({
    patterns: paths.map((path) => path.split("/").map((part) => new RegExp(`^${sourceOf(part)}$`, "s"))),
    why,
  }));
  const made = { mayMatch: new RegExp(`^(?:${firsts.join("|")})$`, "s"), entries };
  compiled.set(table, made);
  return made;
}

/** The patterns are our own and hold two stars at most, so this cannot explode. */
function sourceOf(pattern: string): string {
  return pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
}

function fitsAt(pattern: readonly RegExp[], names: readonly string[], at: number): boolean {
  return pattern.every((part, offset) => part.test(names[at + offset] ?? "/"));
}
