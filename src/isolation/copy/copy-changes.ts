import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { omitUndefined } from "../../core/base/objects.ts";
import { isAscii } from "../../core/base/text.ts";
import type { HeldBlob } from "../../core/ports/folder-watch.ts";
import { isAtOrBelow } from "../../disk/below.ts";
import { decodeName, type FolderEntry, toDiskPath } from "../../node/files/byte-names.ts";
import { normalizeSlashes } from "../../node/files/real-path.ts";
import type { CopiedPath, CopiedPaths, CopyRecord } from "../../schema/stored-files.ts";
import { fail } from "../../texts/display-text.ts";
import { findUnchangedContents } from "./base-content.ts";
import type { BaseState, CopiedFolder, Copy, CopyChange, PathState } from "./copy.ts";
import { KEPT, readRecord, readRows } from "./copy-record.ts";
import { readFolderEntries } from "./source-tree.ts";
import { createWorkspaceRules, getWorkspaceFolderFor } from "./workspace-rules.ts";

/** A path that was there when the copy was made. */
interface KnownPath {
  readonly path: CopiedPath;
  readonly base: BaseState;
  /** True if its changes don't count, because git ignores its folder. */
  readonly isIgnored: boolean;
}

/**
 * Lists paths of a copy that changed since it was made, in order. Skips new files that the workspace's rules ignore, borrowed folders and
 * git's own folders. Throws a sentence if the copy is gone.
 */
export async function listCopyChanges(copy: Copy, signal: AbortSignal): Promise<readonly CopyChange[]> {
  const record = await readRecord(copy.home);
  const rows = await readRows(copy.home);
  for (const path of copy.visible)
    if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) fail("isolation.copy.gone");
  const placed = new Map(rows.map((row) => [join(copy.home, row.place), row]));
  const holding = listFoldersAbove(placed.keys());
  const walk: ChangeWalk = {
    copy,
    record,
    signal,
    rows: placed,
    borrowed: new Set([
      ...copy.borrowed.map(({ path }) => path),
      ...(record.owned ?? []).map((owned) => join(copy.home, owned)),
    ]),
    holding,
    forms: listForms(holding, placed),
    rules: createWorkspaceRules(copy, record),
    found: [],
    doubtful: [],
  };
  const missing = new Set(walk.rows.keys());
  for (const path of copy.visible) await walkFolder(path, walk, missing);
  for (const path of missing) addMissing(path, walk);
  const same = await findUnchangedContents(walk.doubtful);
  return walk.found
    .filter((change) => !same.has(change))
    .sort((a, b) => copy.folders.indexOf(a.folder) - copy.folders.indexOf(b.folder) || compare(a.file, b.file));
}

function listFoldersAbove(folders: Iterable<string>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const folder of folders) for (let at = folder; !found.has(at); at = dirname(at)) found.add(at);
  return found;
}

/** The recorded paths with other letters than ASCII's, by their composed form. */
function listForms(holding: Iterable<string>, rows: ReadonlyMap<string, CopiedPaths>): ReadonlyMap<string, string> {
  const files = [...rows].flatMap(([folder, { paths }]) =>
    paths.flatMap(({ name }) => (isAscii(name) ? [] : [join(folder, name)])),
  );
  const folders = [...holding].filter((folder) => !isAscii(basename(folder)));
  return new Map([...folders, ...files].map((path) => [path.normalize(), path]));
}

/** The recorded name of an entry. A disk of macOS may store another Unicode form of it than git has, and finds it under both. */
function findRecordedName(name: string, { folder, entries }: VisitedFolder, { forms }: ChangeWalk): string {
  const path = isAscii(name) ? undefined : forms.get(join(folder, name).normalize());
  const recorded = path === undefined || dirname(path) !== folder ? name : basename(path);
  if (path === undefined || recorded === name || entries.some((entry) => entry.name === recorded)) return name;
  return lstatSync(toDiskPath(path), { throwIfNoEntry: false }) ? recorded : name;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

interface ChangeWalk {
  readonly copy: Copy;
  readonly record: CopyRecord;
  readonly signal: AbortSignal;
  /** The folders of the copy by their paths. */
  readonly rows: ReadonlyMap<string, CopiedPaths>;
  /** Those folders and all their parent folders. */
  readonly holding: ReadonlySet<string>;
  /** See `listForms`. */
  readonly forms: ReadonlyMap<string, string>;
  /** Folders that are or were borrowed. */
  readonly borrowed: ReadonlySet<string>;
  readonly rules: ReturnType<typeof createWorkspaceRules>;
  readonly found: CopyChange[];
  /** Files whose metadata changed, but maybe not their content. */
  readonly doubtful: CopyChange[];
}

/** Time without a pause. */
const BUSY_MS = 10;

async function walkFolder(top: string, walk: ChangeWalk, missing: Set<string>): Promise<void> {
  const { signal, rows, borrowed } = walk;
  let lastPause = performance.now();
  const waiting = [{ folder: top, isMoved: false }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (performance.now() - lastPause > BUSY_MS) {
      await setImmediate();
      signal.throwIfAborted();
      lastPause = performance.now();
    }
    const { folder } = next;
    const entries = await readFolderEntries(folder);
    const row = rows.get(folder);
    missing.delete(folder);
    const isMoved = next.isMoved || (row !== undefined && lstatSync(toDiskPath(folder)).ino !== row.inode);
    const inside = await visitFolder({ folder, row, entries, isMoved }, walk);
    for (const name of inside)
      if (!borrowed.has(join(folder, name))) waiting.push({ folder: join(folder, name), isMoved });
  }
}

interface VisitedFolder {
  readonly folder: string;
  readonly row: CopiedPaths | undefined;
  readonly entries: readonly FolderEntry[];
  /** True if the folder was moved here, so modification times show nothing. */
  readonly isMoved: boolean;
}

/** Compares a folder's entries, and returns the subfolders to visit. */
async function visitFolder(visited: VisitedFolder, walk: ChangeWalk): Promise<string[]> {
  const { folder, row, entries, isMoved } = visited;
  const known = new Map(row?.paths.map((path) => [path.name, path]));
  const folders: string[] = [];
  let isIgnored: ((name: string) => boolean) | undefined;
  for (const entry of entries) {
    if (entry.name === ".git") continue;
    const name = findRecordedName(entry.name, visited, walk);
    const path = known.get(name);
    if (entry.isDirectory()) {
      const inside = join(folder, name);
      isIgnored ??= await walk.rules(folder);
      if (walk.holding.has(inside) || !isIgnored(`${name}/`)) folders.push(name);
      continue;
    }
    known.delete(name);
    if (path) compareKnown(join(folder, name), createKnownPath(path, row, walk), isMoved, walk);
    else {
      isIgnored ??= await walk.rules(folder);
      if (row?.ignored !== true && !isIgnored(name)) addNew(join(folder, name), walk);
    }
  }
  for (const path of known.values()) addDeleted(join(folder, path.name), createKnownPath(path, row, walk), walk);
  return folders;
}

function compareKnown(path: string, known: KnownPath, isMoved: boolean, walk: ChangeWalk): void {
  if (known.isIgnored) return;
  const stats = lstatSync(toDiskPath(path), { throwIfNoEntry: false });
  if (!stats) {
    addDeleted(path, known, walk);
    return;
  }
  if (stats.ctimeMs < walk.record.madeMs && !isMoved && known.path.suspect !== true) return;
  const now = readPathState(path, stats);
  const { base } = known;
  const change = locateChange(path, walk, { base, now });
  if (now.kind === "link" && base.kind === "link") {
    if (now.leadsTo !== known.path.link?.copy) walk.found.push(change);
    return;
  }
  walk.found.push(change);
  if (now.kind === "file" && base.kind === "file" && now.bytes === base.bytes && now.mode === base.mode)
    walk.doubtful.push(change);
}

function addNew(path: string, walk: ChangeWalk): void {
  const stats = lstatSync(toDiskPath(path), { throwIfNoEntry: false });
  if (stats) walk.found.push(locateChange(path, walk, { now: readPathState(path, stats) }));
}

function addDeleted(path: string, { base, isIgnored }: KnownPath, walk: ChangeWalk): void {
  if (!isIgnored) walk.found.push(locateChange(path, walk, { base }));
}

/** All files of a folder that isn't there any more. */
function addMissing(folder: string, walk: ChangeWalk): void {
  const row = walk.rows.get(folder);
  for (const path of row?.paths ?? []) addDeleted(join(folder, path.name), createKnownPath(path, row, walk), walk);
}

function createKnownPath(path: CopiedPath, row: CopiedPaths | undefined, { copy, record }: ChangeWalk): KnownPath {
  const repository = row?.repository === undefined ? undefined : record.repositories[row.repository];
  const { mode, bytes, blob, kept, link } = path;
  const isExecutable = (mode & 0o111) !== 0;
  const held: HeldBlob | { readonly kept: string } | undefined =
    kept !== undefined
      ? { kept: join(copy.home, KEPT, kept) }
      : blob !== undefined && repository
        ? { repository, blob, bytes, isExecutable }
        : undefined;
  const base: BaseState = link
    ? { kind: "link", mode, bytes, leadsTo: link.origin }
    : { kind: "file", mode, bytes, ...omitUndefined({ held }) };
  return { path, base, isIgnored: row?.ignored === true };
}

function readPathState(path: string, stats: Stats): PathState {
  const { size: bytes } = stats;
  const mode = stats.mode & 0o7777;
  if (stats.isSymbolicLink())
    return {
      kind: "link",
      mode: 0o777,
      bytes,
      leadsTo: decodeName(readlinkSync(toDiskPath(path), "buffer")),
    };
  return { kind: stats.isFile() ? "file" : "other", mode, bytes };
}

function locateChange(path: string, { copy }: ChangeWalk, states: Pick<CopyChange, "base" | "now">): CopyChange {
  const around = copy.folders
    .filter((folder) => isAtOrBelow(path, folder.path))
    .reduce<CopiedFolder | undefined>(
      (inner, folder) => (inner && inner.path.length >= folder.path.length ? inner : folder),
      undefined,
    );
  const folder = around ?? findOutsideFolder(path, copy);
  const file = path.slice(folder.path.length + 1);
  return { folder, file: normalizeSlashes(file), ...states };
}

/** The part of a repository outside the workspace folder to which the run has written. */
function findOutsideFolder(path: string, copy: Copy): CopiedFolder {
  const root = copy.visible.find((one) => isAtOrBelow(path, one));
  const inside = copy.folders.find((folder) => root !== undefined && isAtOrBelow(folder.path, root));
  if (root === undefined || !inside) return fail("isolation.copy.damaged");
  return { name: inside.name, path: root, origin: getWorkspaceFolderFor(root, copy) };
}
