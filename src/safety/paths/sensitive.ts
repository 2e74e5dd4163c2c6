import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { listSegmentsBelow, type Platform, splitPathSegments } from "./paths.ts";
import { CONTROLS, type ProtectedPaths, SECRETS, STEERING } from "./sensitive-table.ts";

/** Why a file is protected, as a clause without subject; undefined when it isn't. */
export type Protection = DisplayText | undefined;

/** Why a file is protected from this kind of access. */
export function findProtection(
  touch: { readonly path: string; readonly how: "read" | "write" | "delete" },
  folders: readonly string[],
  platform: Platform,
): Protection {
  if (touch.path.length > LONGEST_PATH) return displayText("safety.line.pathTooLong");
  const names = listSegmentsBelow(touch.path, folders, platform);
  return (
    findShortNameReason(names, platform) ??
    findSecretReason(names) ??
    (touch.how === "read" ? undefined : findControlReason(names))
  );
}

/** Why a path of these normalized names must not be read: it may hold secrets. */
export function findSecretReason(names: readonly string[]): Protection {
  return findTableMatch(SECRETS, names);
}

/** True for a file whose content no search shows, by its path relative to the workspace folder. */
export function mayHoldSecrets(relative: string): boolean {
  return findSecretReason(splitPathSegments(relative)) !== undefined;
}

/** Why a path of these normalized names must not be changed: it steers programs, editors, agents or builds. */
export function findControlReason(names: readonly string[]): Protection {
  return findTableMatch(CONTROLS, names);
}

/** Why a review shows a path of these normalized names on its own: programs obey it automatically. */
export function findSteeringReason(names: readonly string[]): Protection {
  return findTableMatch(STEERING, names);
}

/** Why a path with one of Windows' short names, such as `GIT~1`, is protected: the name that it replaces isn't known. */
export function findShortNameReason(names: readonly string[], platform: Platform): Protection {
  return platform === "win32" && names.some((name) => SHORT_NAME.test(name))
    ? displayText("safety.line.shortName")
    : undefined;
}

/** Up to eight characters that end in a number, and an ending of up to three. */
const SHORT_NAME = /^[^.~]{1,6}~\d{1,6}(?:\.[^.]{0,3})?$/;

/** Public keys, source files that only start like a key (`id_map.ts`), and templates of secret files. */
const HARMLESS = /\.pub$|^id_.*\.\w|^\.env\.(?:example|sample|template|dist)$/;
const LONGEST_PATH = 4096;

function findTableMatch(table: ProtectedPaths, names: readonly string[]): Protection {
  const { mayMatch, entries } = compileTable(table);
  for (const [at, name] of names.entries()) {
    if (!mayMatch.test(name) || HARMLESS.test(name)) continue;
    const entry = entries.find(({ patterns }) => patterns.some((pattern) => areNamesMatching(pattern, names, at)));
    if (entry) return entry.why;
  }
  return undefined;
}

interface CompiledTable {
  /** Matches every name that a pattern of the table can start with; rules out most names in one test. */
  readonly mayMatch: RegExp;
  readonly entries: readonly {
    readonly patterns: readonly (readonly RegExp[])[];
    readonly why: DisplayText;
  }[];
}

const compiled = new Map<ProtectedPaths, CompiledTable>();

function compileTable(table: ProtectedPaths): CompiledTable {
  const known = compiled.get(table);
  if (known) return known;
  const rows = Object.entries(table).map(([paths, why]) => ({
    paths: paths.split(", ").map((path) => path.split("/")),
    why,
  }));
  const firsts = rows.flatMap(({ paths }) => paths.map(([first = ""]) => convertPatternToRegex(first)));
  const entries = rows.map(({ paths, why }) => ({
    patterns: paths.map((parts) => parts.map((part) => new RegExp(`^${convertPatternToRegex(part)}$`, "s"))),
    why,
  }));
  const made = { mayMatch: new RegExp(`^(?:${firsts.join("|")})$`, "s"), entries };
  compiled.set(table, made);
  return made;
}

/** Safe from catastrophic backtracking, because the table's patterns have two stars at most. */
function convertPatternToRegex(pattern: string): string {
  return pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
}

function areNamesMatching(pattern: readonly RegExp[], names: readonly string[], at: number): boolean {
  return pattern.every((part, offset) => part.test(names[at + offset] ?? "/"));
}
