import { constants, copyFile, lstat, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ResolvedPath, Workspace } from "../../core/ports/workspace.ts";
import { isAtOrBelow } from "../../disk/below.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { formatContentStamp } from "../../disk/stamp.ts";
import { ignoreRules } from "../files/ignore-rules.ts";
import type { Root } from "../files/roots.ts";
import { createYielder } from "../processes/event-loop.ts";
import { NO_EXCLUDES } from "./excludes.ts";
import type { IndexedFolders } from "./file-index.ts";
import { createGlobTest } from "./glob.ts";
import { walkFolders } from "./index-contents.ts";
import type { SearchParts } from "./search-parts.ts";
import { describeIgnored } from "./search-results.ts";
import { walk, walkStarts } from "./walk.ts";

/** The entries below a folder, sorted by name. Beyond the limit, the top levels take precedence. */
export async function listPlace(
  place: ResolvedPath,
  roots: readonly Root[],
  { glob, limit, signal }: { glob?: string; limit: number; signal: AbortSignal },
  { files }: SearchParts,
): ReturnType<Workspace["list"]> {
  const passes = glob === undefined ? () => true : createGlobTest(glob);
  const labels: string[] = [];
  let more = false;
  let leftOut = 0;
  for (const { start, prefix } of walkStarts(place, roots, (root) => files?.getListingExcludes(root) ?? NO_EXCLUDES)) {
    const visit = (relative: string): "go on" | "stop" => {
      const inside = relative.slice(start.relative.length).replace(/\/$/, "");
      if (!passes(inside) && !passes(relative.replace(/\/$/, ""))) return "go on";
      more = labels.length >= limit;
      if (!more) labels.push(`${prefix}${relative}`);
      return more ? "stop" : "go on";
    };
    const folders = await files?.loadFolders(start.root, signal);
    leftOut += folders?.has(start.relative)
      ? await visitIndexed(folders, start.relative, signal, visit)
      : await walk(start, signal, async ({ relative }) => visit(relative));
    if (more) break;
  }
  const note = more ? "" : describeIgnored(leftOut);
  return { labels: labels.sort(), more, ...(note === "" ? {} : { note }) };
}

/** Visits everything below a folder in the order of a walk. Returns the number of entries excluded by ignore files. */
async function visitIndexed(
  folders: IndexedFolders,
  start: string,
  signal: AbortSignal,
  visit: (relative: string) => "go on" | "stop",
): Promise<number> {
  const breathe = createYielder(signal);
  let leftOut = 0;
  for await (const folder of walkFolders(folders, start, signal)) {
    const { names = [], ignored = 0 } = folders.get(folder) ?? {};
    leftOut += ignored;
    for (const [index, name] of names.entries()) {
      if (index % 64 === 0) await breathe();
      if (visit(folder + name) === "stop") return leftOut;
    }
  }
  return leftOut;
}

/** Size and time of change of each file, by path. */
type FolderScan = ReadonlyMap<string, string>;

/** A scan with more files, or more time, is too expensive. */
const MOST_FILES = 20_000;
const MOST_MS = 500;

/** Scans all files of some folders at each call, until one scan takes too long. */
export function createScanner(folders: () => readonly string[]): () => Promise<FolderScan | undefined> {
  let tooLong = false;
  return async () => {
    const found = tooLong ? undefined : await scanFolders(folders());
    tooLong = found === undefined;
    return found;
  };
}

/** Scans all files below some folders that git doesn't ignore; undefined if that takes too long. */
async function scanFolders(folders: readonly string[]): Promise<FolderScan | undefined> {
  const found = new Map<string, string>();
  const end = Date.now() + MOST_MS;
  let tooMuch = false;
  const { signal } = new AbortController();
  for (const root of folders) {
    await walk({ root, relative: "", rules: ignoreRules(root) }, signal, async ({ relative, kind }) => {
      tooMuch = found.size >= MOST_FILES || Date.now() > end;
      if (tooMuch) return "stop";
      if (kind === "file") await recordFile(found, join(root, relative));
      return "go on";
    });
    if (tooMuch) return undefined;
  }
  return found;
}

async function recordFile(found: Map<string, string>, path: string): Promise<void> {
  try {
    found.set(path, formatContentStamp(await lstat(path, { bigint: true })));
  } catch (error) {
    if (!hasCode(error, "ENOENT", "EACCES", "EPERM")) throw error;
  }
}

/**
 * Copies the files in a folder that the agent sees, and returns their number. Ignored files, installed packages, links and version control
 * are left out. Throws a sentence if the new folder already exists.
 */
export async function copyFolder(from: string, to: string, signal: AbortSignal): Promise<number> {
  if (isAtOrBelow(to, from))
    throw new Error("The new folder lies in the one that would be copied. Choose a place beside it.");
  await mkdir(dirname(to), { recursive: true });
  await mkdir(to).catch((error: unknown) => {
    throw hasCode(error, "EEXIST")
      ? new Error(`There is something at ${to} already. Name a folder that is not there yet.`)
      : error;
  });
  let files = 0;
  const start = { root: from, relative: "", rules: ignoreRules(from) };
  await walk(start, signal, async ({ relative, kind }) => {
    const target = join(to, relative);
    if (kind === "folder") await mkdir(target, { recursive: true });
    if (kind === "file") {
      await copyFile(join(from, relative), target, constants.COPYFILE_FICLONE);
      files += 1;
    }
    return "go on";
  });
  return files;
}
