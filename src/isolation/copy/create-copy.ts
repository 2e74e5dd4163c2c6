import { lstat, mkdir, readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import type { Repository } from "../../core/ports/programs.ts";
import { isAtOrBelow } from "../../disk/below.ts";
import { renameFile } from "../../disk/rename-file.ts";
import { normalizeSlashes } from "../../node/files/real-path.ts";
import { createHarmlessGit } from "../../node/git/git.ts";
import { findRepositoryAround } from "../../node/git/repository.ts";
import type { WorkspaceFolder } from "../../schema/run-values.ts";
import type { CopiedPaths, CopyRecord } from "../../schema/stored-files.ts";
import { fail } from "../../texts/display-text.ts";
import { createConversionTest } from "./converted-contents.ts";
import { CopyMeter, copyTree, createCopyPlaceFinder } from "./copied-tree.ts";
import type { Copy } from "./copy.ts";
import { type CopyRecordParts, KEPT, openCopy, VISIBLE, writeRecord } from "./copy-record.ts";
import { createExclusions, LeftOutPaths } from "./exclusions.ts";
import { createCopyError, forkCopyInto } from "./fork-copy.ts";
import {
  type Borrowed,
  hideFromIndex,
  listExcludeFiles,
  listObjectFolders,
  makeOwnRepository,
  readGitSettings,
} from "./own-repository.ts";
import { getUnfinishedCopyFolder, removeTree, saveCopySize } from "./remove-copy.ts";
import { readFolderTree, readRepositoryTree, type SourceTree } from "./source-tree.ts";

/** Input for making a copy. */
export interface NewCopy {
  /** ID of the run. */
  readonly run: string;
  /** Folder to create the copy in; doesn't exist yet. */
  readonly home: string;
  /** Starts with the run's own folder. */
  readonly folders: readonly WorkspaceFolder[];
  /** Glob patterns of secret files to copy. */
  readonly lend: readonly string[];
  /** Bytes that all copies may take together. */
  readonly quotaBytes: number;
  /** Bytes that the other copies take. */
  readonly heldBytes?: number;
  readonly signal: AbortSignal;
  /** Another run's copy to fork in its current state, instead of copying the folders. */
  readonly from?: Copy;
  /** `copy-worker.ts`, or its bundle: copies many files in threads. */
  readonly worker?: string | URL;
  /** Called with the number of files that were copied so far. */
  reportProgress(files: number): void;
}

/**
 * Copies workspace folders in their current state for an isolated run. Writes nothing into the workspace. Throws a `DisplayError` if that
 * fails, and leaves nothing behind.
 */
export async function createCopy(wanted: NewCopy): Promise<Copy> {
  const { home, signal } = wanted;
  const making = getUnfinishedCopyFolder(home);
  try {
    await mkdir(making, { recursive: true, mode: 0o700 });
    const meter = new CopyMeter(wanted.quotaBytes, signal, wanted.reportProgress, wanted.heldBytes);
    const target = await realpath(making);
    const parts = wanted.from
      ? await forkCopyInto(target, wanted.run, wanted.from, { meter, signal })
      : await copyFolders(target, wanted, meter);
    signal.throwIfAborted();
    await saveCopySize(making, meter.bytes);
    await writeRecord(making, parts, () => meter.pauseIfBusy());
    await renameFile(making, home);
    return await openCopy(home);
  } catch (error) {
    await removeTree(making).catch(() => undefined);
    throw signal.aborted ? signal.reason : createCopyError(error);
  }
}

/** A repository, or a folder without one, that contains workspace folders. */
interface CopiedRoot {
  readonly root: string;
  readonly target: string;
  /** The folders to copy, relative to the root, each with a final `/`; an empty string means everything. */
  readonly within: readonly string[];
}

/** State shared by the copying of all trees. */
interface Making {
  readonly wanted: NewCopy;
  readonly home: string;
  readonly roots: readonly CopiedRoot[];
  readonly meter: CopyMeter;
  readonly leftOut: LeftOutPaths;
  createName(): string;
  readonly exclusions: Awaited<ReturnType<typeof createExclusions>>;
  readonly repositories: CopyRecord["repositories"][number][];
  readonly objects: Set<string>;
  readonly borrowed: { readonly origin: string; readonly place: string }[];
  readonly rows: CopiedPaths[];
}

async function copyFolders(home: string, wanted: NewCopy, meter: CopyMeter): Promise<CopyRecordParts> {
  const folders = await Promise.all(wanted.folders.map(resolveRealFolder));
  const roots = await findCopiedRoots(
    home,
    folders.map(({ path }) => path),
  );
  let names = 0;
  const making: Making = {
    wanted,
    home,
    roots,
    meter,
    leftOut: new LeftOutPaths(folders),
    createName: () => String(names++),
    exclusions: await createExclusions(
      folders.map(({ path }) => path),
      wanted.lend,
      dirname(wanted.home),
    ),
    repositories: [],
    objects: new Set(),
    borrowed: [],
    rows: [],
  };
  for (const { root, target, within } of roots) {
    await mkdir(target, { recursive: true });
    await copyRoot(making, { root, target, within });
  }
  const placeOf = createCopyPlaceFinder(roots);
  const record: Omit<CopyRecord, "madeMs"> = {
    version: 1,
    run: wanted.run,
    folders: folders.map(({ name, path }) => ({
      name,
      origin: path,
      place: getPathWithin(home, placeOf(path)),
    })),
    visible: roots.map(({ target }) => getPathWithin(home, target)),
    borrowed: making.borrowed,
    objects: [...making.objects],
    notes: making.leftOut.listNotes(),
    repositories: making.repositories,
  };
  for (const { path } of folders) await mkdir(placeOf(path) ?? home, { recursive: true });
  return { record, rows: making.rows };
}

async function resolveRealFolder({ name, path }: WorkspaceFolder): Promise<WorkspaceFolder> {
  const real = await realpath(path).catch(() => undefined);
  const stats = real === undefined ? undefined : await lstat(real).catch(() => undefined);
  if (real === undefined || !stats?.isDirectory()) return fail("isolation.copy.noFolder", { folder: path });
  return { name, path: real };
}

/** Finds the outermost repositories and folders that contain workspace folders, and assigns each a place in the copy. */
async function findCopiedRoots(home: string, folders: readonly string[]): Promise<readonly CopiedRoot[]> {
  const around = await Promise.all(
    folders.map(async (folder) => ({ folder, root: (await findRepositoryAround(folder))?.root ?? folder })),
  );
  const outermost = around
    .map(({ root }) => root)
    .filter((root, at, all) => all.indexOf(root) === at)
    .filter((root, _at, all) => !all.some((other) => other !== root && isAtOrBelow(root, other)));
  const names = new Set<string>();
  return outermost.map((root) => {
    const inside = folders.filter((folder) => isAtOrBelow(folder, root));
    return {
      root,
      target: join(home, VISIBLE, findFreeName(basename(root) || "root", names)),
      within: inside.map((folder) => normalizeSlashes(relative(root, folder))).map((name) => name && `${name}/`),
    };
  });
}

function findFreeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let number = 2; taken.has(free.toLowerCase()); number++) free = `${name}-${number}`;
  taken.add(free.toLowerCase());
  return free;
}

/** Copies a root with the repositories in it. */
async function copyRoot(making: Making, top: CopiedRoot): Promise<void> {
  const waiting = [top];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const name of await copyOne(making, next))
      waiting.push({ root: join(next.root, name), target: join(next.target, name), within: [""] });
}

/** Copies one repository or folder, and returns the repositories in it. */
async function copyOne(making: Making, { root, target, within: folders }: CopiedRoot): Promise<readonly string[]> {
  const { wanted, home, leftOut, exclusions } = making;
  const found = await findRepositoryAround(root);
  const repository = found?.root === root ? found : undefined;
  const borrowing = repository && (await readBorrowedRepository(repository, wanted.signal));
  const scope = { root, within: folders, signal: wanted.signal, ...exclusions };
  const tree = borrowing
    ? await readRepositoryTree(borrowing.repository, borrowing, scope)
    : await readFolderTree(scope);
  if (!folders.includes("")) leftOut.note("subfolder", root);
  if (borrowing?.settings.has("extensions.partialclone")) leftOut.note("partialClone", root);
  const nested = new Set(tree.nested.filter((name) => !exclusions.isExcluded(join(root, name))));
  const absent: string[] = [...tree.outside];
  const sorted = await selectCopiedFiles(tree, making, absent);
  const place = getPathWithin(home, target);
  const number = borrowing ? making.repositories.push(await recordRepository(borrowing)) - 1 : undefined;
  for (const folder of borrowing?.objects ?? []) making.objects.add(folder);
  const rows = await copyTree({
    root,
    target,
    place,
    repository: number,
    index: tree.index,
    meter: making.meter,
    files: sorted,
    empty: tree.empty,
    ignored: tree.ignored,
    kept: join(home, KEPT),
    createName: making.createName,
    worker: wanted.worker,
    findPlaceInCopy: createCopyPlaceFinder(making.roots),
    isConverted: await createConversionTest(tree, borrowing, sorted),
    reportLeftOut: (file, why) => {
      leftOut.add(why, join(root, file));
      absent.push(file);
    },
    reportSubmodule: (file) => void nested.add(file),
  });
  for (const row of rows) {
    making.rows.push(row);
    const below = relative(target, join(home, row.place));
    for (const { name } of row.paths)
      if (!join(below, name).isWellFormed()) leftOut.add("bytes", join(root, below, name));
  }
  for (const name of tree.borrowed) await addBorrowed(making, join(root, name), `${place}/${name}`, join(target, name));
  if (borrowing) {
    await makeOwnRepository(borrowing, target);
    const tracked = tree.index;
    await hideFromIndex(target, tracked ? absent.filter((file) => tracked.get(file)) : absent, wanted.signal);
  }
  return [...nested].filter((name) => name !== "");
}

async function readBorrowedRepository(repository: Repository, signal: AbortSignal): Promise<Borrowed> {
  const git = await createHarmlessGit(repository, signal);
  if ("why" in git) return fail("isolation.copy.git", { folder: repository.root, why: git.why });
  const settings = await readGitSettings(git, repository.root);
  return { repository, git, settings, objects: await listObjectFolders(repository) };
}

async function recordRepository({ repository, settings }: Borrowed): Promise<CopyRecord["repositories"][number]> {
  const { root, gitFolder } = repository;
  return { root, gitFolder, excludes: await listExcludeFiles(gitFolder, settings) };
}

/** Selects the files for a copy. Notes the others, and adds the tracked ones among them to `absent`. */
async function selectCopiedFiles(tree: SourceTree, making: Making, absent: string[]): Promise<readonly string[]> {
  const { leftOut, exclusions } = making;
  const why = await exclusions.createFileTest(tree.root, tree.files);
  for (const folder of tree.large) leftOut.add("large", join(tree.root, folder));
  const files: string[] = [];
  for (const file of tree.files) {
    await making.meter.pauseIfBusy();
    const reason = why(file);
    if (reason === undefined) files.push(file);
    else absent.push(file);
    if (reason !== undefined && reason !== "ours") leftOut.add(reason, join(tree.root, file));
  }
  return files;
}

/** Adds an empty folder in place of a dependency folder. A link in its place is copied as a link. */
async function addBorrowed(making: Making, origin: string, place: string, target: string): Promise<void> {
  if (!origin.isWellFormed()) {
    making.leftOut.add("name", origin);
    return;
  }
  const stats = await lstat(origin).catch(() => undefined);
  if (!stats?.isDirectory() || making.exclusions.isExcluded(origin)) return;
  if ((await readdir(origin).catch(() => [])).length === 0) return;
  await mkdir(target, { recursive: true });
  making.borrowed.push({ origin, place });
}

function getPathWithin(home: string, path: string | undefined): string {
  return normalizeSlashes(relative(home, path ?? home));
}
