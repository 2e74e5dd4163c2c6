import { type BigIntStats, constants, lstatSync, mkdirSync, readlinkSync, symlinkSync } from "node:fs";
import { copyFile, lstat, utimes } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative } from "node:path";
import { setImmediate } from "node:timers/promises";
import { omitUndefined } from "../../core/base/objects.ts";
import { isAtOrBelow } from "../../disk/below.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { decodeName, encodeName, toDiskPath } from "../../node/files/byte-names.ts";
import type { GitIndex, UnchangedFile } from "../../node/git/git-index.ts";
import type { CopiedPath, CopiedPaths } from "../../schema/stored-files.ts";
import { fail } from "../../texts/display-text.ts";
import {
  classifyCopyFailure,
  convertToFileSeconds,
  type FileBatch,
  type LeftOut,
  type Uncopied,
} from "./copy-files.ts";
import { createFileCopiers, type FileOutcomes } from "./file-copiers.ts";

/** Limits and listeners while one copy is made. */
export class CopyMeter {
  private files = 0;
  /** Bytes that the files take on the disk. */
  bytes = 0;
  private lastPause = performance.now();
  private lastReport = 0;

  private readonly quotaBytes: number;
  private readonly signal: AbortSignal;
  private readonly progress: (files: number) => void;
  private readonly heldBytes: number;

  /** `heldBytes`: part of the quota that other copies take. */
  constructor(quotaBytes: number, signal: AbortSignal, progress: (files: number) => void, heldBytes = 0) {
    this.heldBytes = heldBytes;
    this.quotaBytes = quotaBytes;
    this.signal = signal;
    this.progress = progress;
  }

  /** Counts a file. Throws a sentence once the copy becomes larger than allowed. */
  add(bytes: number): void {
    this.files++;
    this.bytes += Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
    if (this.heldBytes + this.bytes <= this.quotaBytes) return;
    const megabytes = Math.round(this.quotaBytes / MEGABYTE);
    if (this.heldBytes < MEGABYTE) fail("isolation.copy.overQuota", { megabytes });
    fail("isolation.copy.noRoom", { megabytes, held: Math.round(this.heldBytes / MEGABYTE) });
  }

  /** Yields to other work now and then, and throws if the user cancels. */
  async pauseIfBusy(): Promise<void> {
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
const MEGABYTE = 1024 ** 2;
/** Block size of most disks. */
const BLOCK_BYTES = 4096;

/** Input for copying the files of one tree. */
export interface TreeCopy {
  readonly root: string;
  readonly target: string;
  readonly files: readonly string[];
  readonly empty: readonly string[];
  readonly ignored: readonly string[];
  readonly index: GitIndex | undefined;
  /** The target relative to the copy's folder, as rows name it. */
  readonly place: string;
  readonly repository: number | undefined;
  /** True for a file whose blob differs in bytes from the file on the disk. */
  isConverted(file: string, blob: string, bytes: number): boolean;
  /** Maps a copied path of the workspace to its path in the copy; undefined for any other path. */
  findPlaceInCopy(path: string): string | undefined;
  /** The folder for contents that aren't in any repository. */
  readonly kept: string;
  /** Creates a name in `kept`. */
  createName(): string;
  reportLeftOut(file: string, why: LeftOut): void;
  /** Reports a folder where git tracks a file, which is a submodule. */
  reportSubmodule(file: string): void;
  readonly meter: CopyMeter;
  /** `copy-worker.ts`, or its bundle. If absent, this thread copies everything. */
  readonly worker: string | URL | undefined;
}

/** Some files of one folder. */
interface TreeBatch {
  /** Relative to the root. */
  readonly folder: string;
  readonly names: readonly string[];
  /** Start of the names of its kept contents. */
  readonly keptName: string;
  /** Absent if the folder is no folder any more. */
  copied?: { readonly unchanged: readonly (UnchangedFile | undefined)[]; readonly outcomes: FileOutcomes };
}

/** Copies the files of a tree as they are on the disk, with their times of modification. Returns a row for each folder. */
export async function copyTree(tree: TreeCopy): Promise<readonly CopiedPaths[]> {
  const { root, target } = tree;
  const folders = new Map(
    [...groupByFolder(tree.files)].map(([folder, names]) => [folder, createBatches(tree, folder, names)]),
  );
  const made = new Map<string, number | undefined>();
  mkdirSync(tree.kept, { recursive: true });
  await copyBatches(tree, [...folders.values()].flat(), (folder) => makeFolder(folder, { root, target, made }));
  const rows: CopiedPaths[] = [];
  const ignored = tree.ignored.map((folder) => `${folder}/`);
  for (const [folder, batches] of folders) {
    const inode = made.get(folder);
    if (inode === undefined) continue;
    const isIgnored = ignored.some((start) => `${folder}/`.startsWith(start));
    rows.push({
      place: folder === "" ? tree.place : `${tree.place}/${folder}`,
      inode,
      ...omitUndefined({ repository: tree.repository }),
      ...(isIgnored ? { ignored: true as const } : {}),
      paths: await collectCopiedPaths(tree, batches),
    });
  }
  for (const folder of tree.empty) makeFolder(folder, { root, target, made });
  return rows;
}

/** Number of files that are copied without a pause. */
const BATCH_FILES = 64;

function createBatches(tree: TreeCopy, folder: string, names: readonly string[]): readonly TreeBatch[] {
  return Array.from({ length: Math.ceil(names.length / BATCH_FILES) }, (_, at) => ({
    folder,
    names: names.slice(at * BATCH_FILES, (at + 1) * BATCH_FILES),
    keptName: `${tree.createName()}-`,
  }));
}

/** Copies the small files. */
async function copyBatches(
  tree: TreeCopy,
  batches: readonly TreeBatch[],
  makeFolder: (folder: string) => number | undefined,
): Promise<void> {
  const copiers = createFileCopiers(tree.files.length, tree.worker);
  const waiting = batches.values();
  try {
    await Promise.all(
      copiers.all.map(async (copy) => {
        for (const batch of waiting) {
          if (makeFolder(batch.folder) === undefined) continue;
          const unchanged = batch.names.map((name) => findUnchangedFile(tree, joinPath(batch.folder, name)));
          const outcomes = await copy(createFileBatch(tree, batch, unchanged));
          batch.copied = { unchanged, outcomes };
          for (const outcome of outcomes) {
            if (typeof outcome === "string") continue;
            const [, bytes, isKept] = outcome;
            tree.meter.add(isKept ? 2 * bytes : bytes);
          }
          await tree.meter.pauseIfBusy();
        }
      }),
    );
  } finally {
    await copiers.close();
  }
}

function createFileBatch(
  { root, target, kept }: TreeCopy,
  { folder, names, keptName }: TreeBatch,
  unchanged: readonly (UnchangedFile | undefined)[],
): FileBatch {
  return {
    from: join(root, folder),
    to: join(target, folder),
    keep: join(kept, keptName),
    files: names.map((name, at) => {
      const stamp = unchanged[at]?.stamp;
      return stamp === undefined ? { name } : { name, stamp };
    }),
  };
}

/** The blob of a file in git, if the file on the disk has the same content. */
function findUnchangedFile({ index, isConverted }: TreeCopy, file: string): UnchangedFile | undefined {
  const found = index?.findUnchanged(file);
  return found && !isConverted(file, found.blob, found.bytes) ? found : undefined;
}

function joinPath(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

/** Collects a folder's copied paths, and copies those that a batch couldn't. */
async function collectCopiedPaths(tree: TreeCopy, batches: readonly TreeBatch[]): Promise<CopiedPath[]> {
  const paths: CopiedPath[] = [];
  for (const { folder, names, keptName, copied } of batches) {
    for (const [at, outcome] of copied?.outcomes.entries() ?? []) {
      const name = names[at] ?? "";
      const kept = `${keptName}${at}`;
      if (typeof outcome === "string") {
        const path = await copyOther(tree, joinPath(folder, name), kept, outcome);
        if (path) paths.push(path);
        continue;
      }
      const [mode, bytes, isKept] = outcome;
      const blob = copied?.unchanged[at]?.blob;
      paths.push({ name, mode, bytes, ...(isKept || blob === undefined ? { kept } : { blob }) });
    }
    await tree.meter.pauseIfBusy();
  }
  return paths;
}

function groupByFolder(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
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
  /** Inodes of the folders made so far; undefined if the path is no longer a folder in the workspace. */
  readonly made: Map<string, number | undefined>;
}

/** Makes a folder and its parent folders. Doesn't follow a link in their place. */
function makeFolder(folder: string, parts: Made): number | undefined {
  const { root, target, made } = parts;
  if (made.has(folder)) return made.get(folder);
  const above = folder === "" ? undefined : dirname(folder) === "." ? "" : dirname(folder);
  const hasAbove = above === undefined || makeFolder(above, parts) !== undefined;
  const stats = hasAbove ? readStats(join(root, folder)) : undefined;
  let inode: number | undefined;
  if (stats?.isDirectory()) {
    const path = join(target, folder);
    mkdirSync(toDiskPath(path), { recursive: true, mode: (Number(stats.mode) & 0o777) | 0o700 });
    inode = lstatSync(toDiskPath(path)).ino;
  }
  made.set(folder, inode);
  return inode;
}

function readStats(path: string): BigIntStats | undefined {
  try {
    return lstatSync(toDiskPath(path), { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (hasCode(error, "ENOTDIR", "ENAMETOOLONG", "EACCES", "EPERM")) return undefined;
    throw error;
  }
}

/** Copies anything but a small file; undefined if it's left out. */
async function copyOther(tree: TreeCopy, file: string, kept: string, kind: Uncopied): Promise<CopiedPath | undefined> {
  switch (kind) {
    case "folder":
      tree.reportSubmodule(file);
      return undefined;
    case "gone":
      return undefined;
    case "link":
    case "large":
      try {
        return kind === "link" ? copyLink(tree, file) : await copyLarge(tree, file, kept);
      } catch (error) {
        const why = classifyCopyFailure(error, file);
        return why === "link" ? undefined : copyOther(tree, file, kept, why);
      }
    default:
      tree.reportLeftOut(file, kind);
      return undefined;
  }
}

const EXACT = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;

/** Copies a large file. Shares its bytes where the disk can do so. */
async function copyLarge(tree: TreeCopy, file: string, kept: string): Promise<CopiedPath | undefined> {
  const [from, to] = [toDiskPath(join(tree.root, file)), toDiskPath(join(tree.target, file))];
  const stats = await lstat(from, { bigint: true });
  if (!stats.isFile()) return undefined;
  const { size, mode, mtimeNs, ctimeNs } = stats;
  const [name, bytes] = [basename(file), Number(size)];
  tree.meter.add(bytes);
  await copyFile(from, to, EXACT);
  await utimes(to, convertToFileSeconds(mtimeNs), convertToFileSeconds(mtimeNs));
  const path = { name, mode: Number(mode) & 0o777, bytes };
  const unchanged = findUnchangedFile(tree, file);
  if (unchanged?.stamp === `${size} ${mtimeNs} ${ctimeNs}`) return { ...path, blob: unchanged.blob };
  tree.meter.add(bytes);
  await copyFile(to, join(tree.kept, kept), EXACT);
  return { ...path, kept };
}

/** Copies a link as a link. An absolute link into a copied folder is redirected into the copy. */
function copyLink({ root, target, findPlaceInCopy }: TreeCopy, file: string): CopiedPath {
  const to = join(target, file);
  const origin = decodeName(readlinkSync(toDiskPath(join(root, file)), "buffer"));
  const place = isAbsolute(origin) ? findPlaceInCopy(origin) : undefined;
  const copy = place === undefined ? origin : relative(dirname(to), place) || ".";
  symlinkSync(toDiskPath(copy), toDiskPath(to));
  return { name: basename(file), mode: 0o777, bytes: encodeName(origin).length, link: { origin, copy } };
}

/** Creates a function that maps the workspace's paths to the copy's. */
export function createCopyPlaceFinder(
  roots: readonly { readonly root: string; readonly target: string }[],
): (path: string) => string | undefined {
  return (path) => {
    const around = roots.find(({ root }) => isAtOrBelow(path, root));
    return around && join(around.target, path.slice(around.root.length));
  };
}
