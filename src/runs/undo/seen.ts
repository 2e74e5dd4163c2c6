import { look } from "./file-state.ts";
import { inParallel } from "./in-parallel.ts";
import type { Held, SeenChange } from "./journal.ts";

/** What is to be seen of files: anything that changes whenever a file does, by path. */
export type Looks = ReadonlyMap<string, string>;

/** Looks at all files. Undefined: it would take too long. */
export type Look = () => Promise<Looks | undefined>;

/** What a file held that was then seen like this; undefined where nobody else keeps that. */
export type HeldThen = (path: string, seen: string) => Promise<Held | undefined>;

const NOT_KEPT = {
  kind: "other",
  why: "A program changed it, and its content of before was not kept.",
} as const;

/** The files that are new, gone or different, but for those that are known anyway. */
export async function seenChanges(
  before: Looks,
  after: Looks,
  known: ReadonlySet<string>,
  heldThen: HeldThen = async () => undefined,
): Promise<readonly SeenChange[]> {
  const paths = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path) && !known.has(path),
  );
  return inParallel(paths.slice(0, MOST), async (path) => {
    const then = before.get(path);
    const is = await look(path);
    if (then === undefined) return { path, was: { kind: "missing" }, is };
    const held = await heldThen(path, then).catch(() => undefined);
    return { path, was: NOT_KEPT, is, ...(held ? { held } : {}) };
  });
}

/** A program that changes more files than this is not undone file by file. */
const MOST = 500;

/** What a program changed, for the model and the user. */
export function seenText(changes: readonly SeenChange[], label: (path: string) => string): string {
  const told = changes.slice(0, TOLD).map(({ path, was, is }) => {
    const how = was.kind === "missing" ? " (new)" : is.kind === "missing" ? " (deleted)" : "";
    return `${label(path)}${how}`;
  });
  const more = changes.length > TOLD ? ` and ${changes.length - TOLD} more` : "";
  return `Files that it changed: ${told.join(", ")}${more}.`;
}

const TOLD = 20;
