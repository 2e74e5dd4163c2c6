import { chmodSync, lstatSync, mkdirSync, readFileSync, readlinkSync, renameSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { isAtOrBelow } from "../../disk/below.ts";
import { sha256 } from "../../disk/sha256.ts";
import type { WatchedPaths } from "../../walls/sandbox-view.ts";
import { readEntriesSync, toDiskPath } from "../files/byte-names.ts";
import { isDependencyFolder } from "../files/dependency-folders.ts";
import { hasChanged, type SandboxListing } from "./sandbox-listing.ts";

/** A snapshot of the files that control programs in the workspace folders: each path with a digest of its content. */
export interface ControlSnapshot {
  readonly byPath: ReadonlyMap<string, string>;
  /** The topmost watched paths, each with an ID of its location. */
  readonly tops: ReadonlyMap<string, string>;
  /** Hidden paths with the same IDs, and paths whose location lines can't change. */
  readonly hidden: ReadonlyMap<string, string>;
  readonly held: ReadonlyMap<string, string>;
  /** Files with further hard links, through which a line could change them. */
  readonly linked: ReadonlySet<string>;
  readonly folders: readonly string[];
  /** There were more files than can be compared. Changes to the others are found by their change times. */
  readonly isCut: boolean;
  /** The time of the snapshot, in milliseconds since 1970. */
  readonly at: number;
}

/** A change to a file that controls programs. */
export interface ControlChange {
  readonly path: string;
  readonly how: "appeared" | "changed" | "gone" | "shown";
  /** Its new location, where no program finds it. */
  readonly movedTo?: string;
}

/** The most files to compare below one control folder, and the most bytes to compare of a file. */
const MOST_FILES = 500;
const MOST_BYTES = 1_000_000;

/** The parts of a git folder with settings or hooks. Everything else changes with each commit. */
const GIT_READS =
  /^(?:config|config\.worktree|commondir|gitdir|hooks|info|objects|objects\/info|modules|worktrees)$|^(?:hooks|info|objects\/info)\/[^/]*$|^(?:modules|worktrees)\//;

/** Takes a snapshot of these folders. */
export function takeControlSnapshot(
  listings: readonly SandboxListing[],
  watched: (listing: SandboxListing) => WatchedPaths,
): ControlSnapshot {
  const found = listings.map(watched);
  const mapPlaces = (paths: readonly string[]): Map<string, string> =>
    new Map(paths.map((path) => [path, getPlaceId(path)]));
  const tops = mapPlaces(found.flatMap(({ controls }) => controls));
  const byPath = new Map<string, string>();
  for (const top of tops.keys()) for (const path of listFilesBelow(top)) byPath.set(path, readContentId(path));
  return {
    byPath,
    tops,
    hidden: mapPlaces(found.flatMap((one) => one.hidden)),
    held: mapPlaces(found.flatMap(({ held }) => held)),
    linked: new Set([...byPath.keys()].filter(hasFurtherNames)),
    folders: listings.map(({ path }) => path),
    isCut: listings.some(({ isCut }) => isCut),
    at: Date.now(),
  };
}

/** An ID of a name in its folder, whatever the folder is called. A mounted name can't leave its folder, but the folder can be renamed. */
function getPlaceId(path: string): string {
  const stats = lstatSync(toDiskPath(dirname(path)), { throwIfNoEntry: false });
  return stats ? `${stats.dev}:${stats.ino}/${basename(path)}` : "";
}

function hasFurtherNames(path: string): boolean {
  const stats = lstatSync(toDiskPath(path), { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.nlink > 1;
}

/**
 * The differences between two snapshots that a line may have caused. The agent itself and the user's git, for example, write where a line
 * can't. New files are moved away, so that no program finds them.
 */
export function findControlChanges(
  before: ControlSnapshot,
  after: ControlSnapshot,
  quarantine: string | undefined,
): readonly ControlChange[] {
  const changes: ControlChange[] = [];
  const moved: string[] = [];
  const known = new Set(before.tops.values());
  const isHeld = createHeldTest(before);
  const isNew = (path: string): boolean => !before.isCut || hasChanged(path, before.at);
  if (quarantine !== undefined)
    for (const [top, place] of after.tops) {
      if (known.has(place) || isHeld(top) || !isNew(top) || mayBelongToPackage(top, after.folders)) continue;
      const movedTo = moveAway(top, quarantine, moved.length);
      if (movedTo === undefined) continue;
      moved.push(top);
      changes.push({ path: top, how: "appeared", movedTo });
    }
  const isMoved = (path: string): boolean => moved.some((top) => isAtOrBelow(path, top));
  for (const [path, now] of after.byPath) {
    const then = before.byPath.get(path);
    if (isMoved(path) || then === now || isHeld(path) || (then === undefined && !isNew(path))) continue;
    changes.push({ path, how: then === undefined ? "appeared" : "changed" });
  }
  for (const path of before.byPath.keys())
    if (!after.byPath.has(path) && !isHeld(path)) changes.push({ path, how: "gone" });
  return [...changes, ...findRevealedPaths(before, after)];
}

/** Creates a test for paths that a line couldn't change: held paths whose folder hasn't moved, and files without further names. */
function createHeldTest({ held, linked }: ControlSnapshot): (path: string) => boolean {
  const still = [...held].filter(([path, place]) => getPlaceId(path) === place).map(([path]) => path);
  return (path) => !linked.has(path) && still.some((top) => isAtOrBelow(path, top));
}

/**
 * True in folders of installed packages, whose builds may need all of their files. Git's folder is an exception, because only git uses it.
 */
function mayBelongToPackage(path: string, folders: readonly string[]): boolean {
  if (basename(path).toLowerCase() === ".git") return false;
  const top = folders.find((folder) => isAtOrBelow(path, folder)) ?? "";
  const names = relative(top, dirname(path)).split(sep);
  return names.some((_, at) => isDependencyFolder(join(top, ...names.slice(0, at + 1)), "ignored"));
}

/** Paths that are no longer hidden because a folder or a link was renamed. Deletions by the user don't count. */
function findRevealedPaths(before: ControlSnapshot, after: ControlSnapshot): readonly ControlChange[] {
  const hidden = new Set(after.hidden.values());
  return [...before.hidden]
    .filter(([path, place]) => !hidden.has(place) && (isThere(path) || getPlaceId(path) !== place))
    .map(([path]) => ({ path, how: "shown" }));
}

function isThere(path: string): boolean {
  return lstatSync(toDiskPath(path), { throwIfNoEntry: false }) !== undefined;
}

function moveAway(path: string, folder: string, index: number): string | undefined {
  // An empty folder is a placeholder, and may be a mount of another line.
  const stats = lstatSync(toDiskPath(path), { throwIfNoEntry: false });
  if (stats === undefined || (stats.isDirectory() && listNames(path).length === 0)) return undefined;
  const name = `${index}-${basename(dirname(path))}-${basename(path).replace(/^\./, "")}`;
  mkdirSync(folder, { recursive: true });
  for (const one of [dirname(path), path]) makeMovable(one);
  // On another disk, it stays beside, with a name that means nothing.
  return [join(folder, name), join(dirname(path), `quarantine-${name}.moved`)].find((target) => {
    try {
      renameSync(toDiskPath(path), toDiskPath(target));
      return true;
    } catch {
      return false;
    }
  });
}

/** Makes a path movable: a line can prevent moving its own files, but can't change their owner. */
function makeMovable(path: string): void {
  const stats = lstatSync(toDiskPath(path), { throwIfNoEntry: false });
  if (!stats?.isDirectory() || (stats.mode & 0o700) === 0o700) return;
  try {
    chmodSync(toDiskPath(path), (stats.mode & 0o777) | 0o700);
  } catch {
    // It isn't the user's.
  }
}

/** The files at and below a path, without following links. In git's folder, only files that control git are included. */
function listFilesBelow(top: string): readonly string[] {
  const isGit = basename(top).toLowerCase() === ".git";
  const found: string[] = [];
  const waiting = [top];
  for (let path = waiting.shift(); path !== undefined && found.length < MOST_FILES; path = waiting.shift()) {
    if (lstatSync(toDiskPath(path), { throwIfNoEntry: false })?.isDirectory()) {
      const below = listNames(path).map((name) => join(path ?? "", name));
      waiting.push(...below.filter((one) => !isGit || GIT_READS.test(relative(top, one))));
    } else found.push(path);
  }
  return found;
}

function listNames(folder: string): readonly string[] {
  try {
    return readEntriesSync(folder)
      .map(({ name }) => name)
      .sort();
  } catch {
    return [];
  }
}

function readContentId(path: string): string {
  try {
    const stats = lstatSync(toDiskPath(path));
    if (stats.isSymbolicLink()) return `link ${readlinkSync(toDiskPath(path), "latin1")}`;
    if (!stats.isFile()) return "other";
    if (stats.size > MOST_BYTES) return `file ${stats.size} ${stats.ctimeMs}`;
    return `file ${sha256(readFileSync(toDiskPath(path)))}`;
  } catch {
    return "unreadable";
  }
}
