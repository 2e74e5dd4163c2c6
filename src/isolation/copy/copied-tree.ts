import {
  type BigIntStats,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { setImmediate } from "node:timers/promises";
import { hasCode } from "../../node/files/file-errors.ts";
import { isAtOrBelow } from "../../node/files/real-path.ts";
import type { GitIndex } from "../../node/git/git-index.ts";
import type { CopiedPath, CopiedPaths } from "../../schema/stored-files.ts";
import { fail } from "../../texts/display-text.ts";

/** Limits and listeners of the making of one copy. */
export class CopyMeter {
  private files = 0;
  private bytes = 0;
  private lastPause = performance.now();
  private lastReport = 0;

  private readonly quotaBytes: number;
  private readonly signal: AbortSignal;
  private readonly progress: (files: number) => void;

  constructor(quotaBytes: number, signal: AbortSignal, progress: (files: number) => void) {
    this.quotaBytes = quotaBytes;
    this.signal = signal;
    this.progress = progress;
  }

  /** Counts a file. Throws a sentence once the copy becomes larger than allowed. */
  add(bytes: number): void {
    this.files++;
    this.bytes += bytes;
    if (this.bytes > this.quotaBytes)
      fail("isolation.copy.overQuota", { megabytes: Math.round(this.quotaBytes / 1024 ** 2) });
  }

  /** Lets others work now and then, and stops where the user wants that. */
  async rest(): Promise<void> {
    if (performance.now() - this.lastPause < BUSY_MS) return;
    await setImmediate();
    this.signal.throwIfAborted();
    this.lastPause = performance.now();
    if (this.lastPause - this.lastReport < REPORT_MS) return;
    this.lastReport = this.lastPause;
    this.progress(this.files);
  }
}

/** Time without a pause. */
const BUSY_MS = 10;
const REPORT_MS = 100;

/** Reason why a path of the workspace isn't in the copy. */
export type LeftOut = "unreadable" | "special" | "name";

/** How the files of one tree are copied. */
export interface TreeCopy {
  readonly root: string;
  readonly target: string;
  readonly files: readonly string[];
  readonly empty: readonly string[];
  readonly ignored: readonly string[];
  readonly index: GitIndex | undefined;
  /** Place of the target in the copy's folder, as rows name it. */
  readonly place: string;
  readonly repository: number | undefined;
  /** True for a file whose object has other bytes than the file on the disk. */
  isConverted(file: string, blob: string, bytes: number): boolean;
  /** The new path of a place in the workspace that is copied; undefined for any other. */
  placeInCopy(path: string): string | undefined;
  /** Keeps a file's content, given by its path in the copy, and returns its name. */
  keep(path: string): string;
  leftOut(file: string, why: LeftOut): void;
  /** A folder in place of a tracked file: a submodule. */
  nested(file: string): void;
  readonly meter: CopyMeter;
}

/** Copies the files of a tree as they are on the disk, with their times of modification. Returns a row for each folder. */
export async function copyTree(tree: TreeCopy): Promise<readonly CopiedPaths[]> {
  const { root, target, meter } = tree;
  const folders = byFolder(tree.files);
  const made = new Map<string, number | undefined>();
  const rows: CopiedPaths[] = [];
  const ignored = tree.ignored.map((folder) => `${folder}/`);
  for (const [folder, names] of folders) {
    const inode = makeFolder(folder, { root, target, made });
    if (inode === undefined) continue;
    const paths: CopiedPath[] = [];
    for (const name of names) {
      const path = copyPath(tree, folder === "" ? name : `${folder}/${name}`, name);
      if (path) paths.push(path);
      await meter.rest();
    }
    const isIgnored = ignored.some((start) => `${folder}/`.startsWith(start));
    rows.push({
      place: folder === "" ? tree.place : `${tree.place}/${folder}`,
      inode,
      ...(tree.repository === undefined ? {} : { repository: tree.repository }),
      ...(isIgnored ? { ignored: true as const } : {}),
      paths,
    });
  }
  for (const folder of tree.empty) makeFolder(folder, { root, target, made });
  return rows;
}

function byFolder(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const folders = new Map<string, string[]>();
  for (const file of files) {
    const at = file.lastIndexOf("/");
    const folder = at === -1 ? "" : file.slice(0, at);
    const names = folders.get(folder);
    if (names) names.push(file.slice(at + 1));
    else folders.set(folder, [file.slice(at + 1)]);
  }
  return folders;
}

interface Made {
  readonly root: string;
  readonly target: string;
  /** Inodes of the folders made so far; undefined for what is no folder in the workspace any more. */
  readonly made: Map<string, number | undefined>;
}

/** Makes a folder and those above it. A link in its place isn't followed. */
function makeFolder(folder: string, parts: Made): number | undefined {
  const { root, target, made } = parts;
  if (made.has(folder)) return made.get(folder);
  const above = folder === "" ? undefined : dirname(folder) === "." ? "" : dirname(folder);
  const hasAbove = above === undefined || makeFolder(above, parts) !== undefined;
  const stats = hasAbove ? statsOf(join(root, folder)) : undefined;
  let inode: number | undefined;
  if (stats?.isDirectory()) {
    const path = join(target, folder);
    mkdirSync(path, { recursive: true, mode: (Number(stats.mode) & 0o777) | 0o700 });
    inode = lstatSync(path).ino;
  }
  made.set(folder, inode);
  return inode;
}

function statsOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (hasCode(error, "ENOTDIR", "ENAMETOOLONG", "EACCES", "EPERM")) return undefined;
    throw error;
  }
}

const EXACT = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;

/** Copies one file or link; undefined if it isn't in the copy. */
function copyPath(tree: TreeCopy, file: string, name: string): CopiedPath | undefined {
  const { root, target, meter } = tree;
  const [from, to] = [join(root, file), join(target, file)];
  try {
    const stats = lstatSync(from, { bigint: true, throwIfNoEntry: false });
    if (!stats) {
      if (name.includes("\uFFFD")) tree.leftOut(file, "name");
      return undefined;
    }
    if (stats.isDirectory()) tree.nested(file);
    else if (stats.isSymbolicLink()) return copyLink(tree, from, to, name);
    else if (!stats.isFile()) tree.leftOut(file, "special");
    if (!stats.isFile()) return undefined;
    meter.add(Number(stats.size));
    copyFileSync(from, to, EXACT);
    const modified = Number(stats.mtimeNs / 1000n) / 1e6;
    utimesSync(to, modified, modified);
    return {
      name,
      mode: Number(stats.mode) & 0o777,
      bytes: Number(stats.size),
      ...contentOf(tree, file, to, stats),
    };
  } catch (error) {
    if (hasCode(error, "EACCES", "EPERM")) tree.leftOut(file, "unreadable");
    else if (hasCode(error, "EEXIST", "ENAMETOOLONG", "EINVAL", "EILSEQ")) tree.leftOut(file, "name");
    else if (!hasCode(error, "ENOENT", "ENOTDIR", "ENXIO")) throw error;
    return undefined;
  }
}

/** Where a file's content can be read later: git has it unless the file has changed since it was added. */
function contentOf(
  tree: TreeCopy,
  file: string,
  to: string,
  { size, mtimeNs, ctimeNs, ino }: BigIntStats,
): Pick<CopiedPath, "blob" | "kept"> {
  if (tree.index?.hasUnchanged(file, `${size} ${mtimeNs} ${ino} ${ctimeNs}`)) {
    const blob = tree.index.get(file)?.blob;
    if (blob !== undefined && !tree.isConverted(file, blob, Number(size))) return { blob };
  }
  tree.meter.add(Number(size));
  return { kept: tree.keep(to) };
}

/** Copies a link as a link. An absolute one into a copied folder leads into the copy. */
function copyLink({ placeInCopy }: TreeCopy, from: string, to: string, name: string): CopiedPath {
  const origin = readlinkSync(from);
  const place = isAbsolute(origin) ? placeInCopy(origin) : undefined;
  const copy = place === undefined ? origin : relative(dirname(to), place) || ".";
  symlinkSync(copy, to);
  return { name, mode: 0o777, bytes: Buffer.byteLength(origin), link: { origin, copy } };
}

/** Keeps contents in a folder, each as a file with a number for a name. */
export function contentKeeper(folder: string): (path: string) => string {
  let count = 0;
  return (path) => {
    if (count === 0) mkdirSync(folder, { recursive: true });
    const name = String(count++);
    copyFileSync(path, join(folder, name), EXACT);
    return name;
  };
}

/** Finds the place in the copy of a workspace's path. */
export function placesInCopy(
  roots: readonly { readonly root: string; readonly target: string }[],
): (path: string) => string | undefined {
  return (path) => {
    const around = roots.find(({ root }) => isAtOrBelow(path, root));
    return around && join(around.target, path.slice(around.root.length));
  };
}
