import type { Dirent } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";
import { type ResolvedPath, StaleFileError } from "../../core/ports/workspace.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { openFile, readBounded } from "../../disk/plain-file.ts";
import { runInFolder } from "../files/held-folder.ts";
import { type IgnoreRules, ignoreRules } from "../files/ignore-rules.ts";
import { findRootAround, getPathInRoot, type Root } from "../files/roots.ts";
import { createYielder } from "../processes/event-loop.ts";
import { addExcludes, type Excludes, NO_EXCLUDES } from "./excludes.ts";

/** Never shown, at any depth: version control, the agent's own files, installed packages. */
export const HIDDEN: ReadonlySet<string> = new Set([".git", ".hg", ".svn", ".autogpt", "node_modules"]);

/** The most entries of one folder. */
const MOST_ENTRIES = 20_000;

/** The starting point of a walk. */
export interface WalkStart {
  /** Real path of the workspace folder. */
  readonly root: string;
  /** The folder to start in, relative to `root`, with a final `/`; `""` for the workspace folder itself. */
  readonly relative: string;
  readonly rules: IgnoreRules;
}

/** An entry found on a walk. */
export interface WalkEntry {
  /** Path relative to the workspace folder; a folder's ends with `/`. */
  readonly relative: string;
  readonly kind: "file" | "folder" | "other";
  /** The content; undefined if it's larger, or can't be read. */
  read(mostBytes: number): Promise<Buffer | undefined>;
  /** The size of a file and the time of its last change; undefined if it's gone. */
  stat(): Promise<{ readonly bytes: number; readonly modified: number } | undefined>;
}

/**
 * Visits everything below a folder, level by level, sorted by name, without ignored files. Links are visited but not followed. Returns the
 * number of entries excluded by ignore files.
 */
export async function walk(
  start: WalkStart,
  signal: AbortSignal,
  visit: (met: WalkEntry) => Promise<"go on" | "stop">,
): Promise<number> {
  let leftOut = 0;
  const breathe = createYielder(signal);
  const ignoredStart = start.relative !== "" && (await start.rules.matchWithParents(start.relative)) === "git";
  const folders = [start.relative];
  for (const folder of folders) {
    signal.throwIfAborted();
    const stopped = await runInFolder(join(start.root, folder).replace(/[\\/]$/, ""), async (at) => {
      for (const entry of await listSortedEntries(at("."), signal)) {
        await breathe();
        const kind = entry.isDirectory() ? "folder" : entry.isFile() ? "file" : "other";
        const relative = `${folder}${entry.name}${kind === "folder" ? "/" : ""}`;
        const ignored = await start.rules.matchPath(relative);
        if (ignored === "agent" || (ignored === "git" && !ignoredStart)) {
          leftOut += 1;
          continue;
        }
        if (kind === "folder") folders.push(relative);
        const read = (most: number) =>
          kind === "file" ? readSmallFile(at(entry.name), most) : Promise.resolve(undefined);
        const stat = () => readSizeAndTime(at(entry.name));
        if ((await visit({ relative, kind, read, stat })) === "stop") return true;
      }
      return false;
    }).catch((error: unknown) => skipUnreadable(error, folder === start.relative));
    if (stopped) break;
  }
  return leftOut;
}

/** Skips a folder that vanished or can't be read, unless it's the requested one. */
function skipUnreadable(error: unknown, isStart: boolean): false {
  const gone = error instanceof StaleFileError || hasCode(error, "ENOENT", "EACCES", "EPERM", "ENAMETOOLONG");
  if (gone && !isStart) return false;
  throw error;
}

async function listSortedEntries(folder: string, signal: AbortSignal): Promise<Dirent[]> {
  const breathe = createYielder(signal);
  const entries: Dirent[] = [];
  for await (const entry of await opendir(folder, { bufferSize: 128 })) {
    await breathe();
    if (!HIDDEN.has(entry.name)) entries.push(entry);
    if (entries.length === MOST_ENTRIES) break;
  }
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}

async function readSizeAndTime(
  path: string,
): Promise<{ readonly bytes: number; readonly modified: number } | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  return stats && { bytes: stats.size, modified: stats.mtimeMs };
}

/** The content of a file; undefined if it is larger, or cannot be read. */
export async function readSmallFile(path: string, mostBytes: number): Promise<Buffer | undefined> {
  await using file = await openFile(path).catch(() => undefined);
  return file && (await readBounded(file, mostBytes).catch(() => undefined));
}

/**
 * The starting points of walks below a folder, each with its labels' prefix. There are several if the folder represents all workspace
 * folders.
 */
export function walkStarts(
  place: ResolvedPath,
  roots: readonly Root[],
  excludes: (root: string) => Excludes = () => NO_EXCLUDES,
): readonly { readonly start: WalkStart; readonly prefix: string }[] {
  const around = findRootAround(place.path, roots);
  if (!around) return [];
  const all = place.label === "." && roots.length > 1;
  return (all ? roots : [around]).map((root) => {
    const below = all ? "" : getPathInRoot(place.path, root);
    const relative = below === "" ? "" : `${below}/`;
    const rules = addExcludes(ignoreRules(root.path), excludes(root.path));
    return { start: { root: root.path, relative, rules }, prefix: root.prefix };
  });
}
