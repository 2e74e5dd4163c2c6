import { realpathSync } from "node:fs";
import { mkdir, rmdir, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { BinaryFiles } from "../core/ports/workspace.ts";
import {
  type FileContent,
  type ResolvedPath,
  StaleFileError,
  type Workspace,
  WorkspaceError,
} from "../core/ports/workspace.ts";
import { hasCode, ignoreCodes } from "../disk/error-codes.ts";
import { retryWhileOpen } from "../disk/rename-file.ts";
import type { WorkspaceFolder } from "../schema/run-values.ts";
import { moveWithoutOverwriting, writeAtomically } from "./files/atomic-write.ts";
import { runFileOperation } from "./files/file-errors.ts";
import { readWholeFile, snapshot } from "./files/file-version.ts";
import { type PathInFolder, runInFolder } from "./files/held-folder.ts";
import { locate } from "./files/path-resolution.ts";
import { resolveRoots } from "./files/roots.ts";
import { decodeText, encodeText } from "./files/text-encoding.ts";
import { listPlace } from "./search/folder-contents.ts";
import { findNearestFile } from "./search/indexed-files.ts";
import { searchPlace } from "./search/search.ts";
import type { SearchParts } from "./search/search-parts.ts";

/** Larger files aren't read in one piece. */
const READ_BYTES = 200 * 1024 * 1024;

/** Options of a workspace on the disk. */
export interface WorkspaceOptions extends Partial<SearchParts> {
  /** The run's own first; as a function if folders may be added or removed. */
  readonly folders: readonly WorkspaceFolder[] | (() => readonly WorkspaceFolder[]);
  /**
   * Moves a file to a place where it can be restored, and returns a sentence on how. Without this function, files are deleted permanently.
   */
  moveToTrash?(path: string): Promise<string>;
}

/** A workspace with known folders. */
export interface FolderWorkspace extends Workspace, BinaryFiles {
  /** The real paths of its folders. */
  listFolders(): readonly string[];
}

/** A workspace in the user's disk folders. */
export function createNodeWorkspace(options: WorkspaceOptions): FolderWorkspace {
  const { folders, moveToTrash } = options;
  const parts: SearchParts = { leftOut: () => false, ...options };
  const open = () => (typeof folders === "function" ? folders() : folders);
  const resolveOpenRoots = () => resolveRoots(open());
  return {
    listFolders: () => open().flatMap(({ path }) => resolveFolder(path)),
    locate: async (path, use) => locate(path, await resolveOpenRoots(), use),
    read,
    write: async (place, file) => {
      const bytes = await encodeText(file);
      await runFileOperation(place.label, async () => {
        await makeParents(place);
        await callInParent(place, (at, name) => writeAtomically(at, name, place.version, bytes));
      });
    },
    readBytes: (place) => runFileOperation(place.label, async () => (await readWhole(place)).bytes),
    writeBytes: (place, bytes) =>
      runFileOperation(place.label, async () => {
        await makeParents(place);
        await callInParent(place, (at, name) => writeAtomically(at, name, place.version, Buffer.from(bytes)));
      }),
    createFolder: (place) =>
      runFileOperation(place.label, async () => {
        await makeParents(place);
        await callInParent(place, (at, name) => makeFolder(at(name)));
      }),
    move: (from, to) => runFileOperation(to.label, () => move(from, to)),
    remove: (place) => runFileOperation(place.label, () => remove(place, moveToTrash)),
    list: async (place, options) =>
      runFileOperation(place.label, async () => listPlace(place, await resolveOpenRoots(), options, parts)),
    findNearestFile: async (label, signal) =>
      runFileOperation(label, async () => findNearestFile(parts.files, await resolveOpenRoots(), label, signal)),
    search: async (place, options) =>
      runFileOperation(place.label, async () => searchPlace(place, await resolveOpenRoots(), options, parts)),
  };
}

async function read(place: ResolvedPath): Promise<FileContent> {
  const { label, kind, bytes } = place;
  if (kind === "missing") throw new WorkspaceError(`There is no file "${label}".`);
  if (kind === "folder") throw new WorkspaceError(`"${label}" is a folder. Look into it with list_files.`);
  if (kind === "other") throw new WorkspaceError(`"${label}" is a device or a socket, so it is not read.`);
  if (bytes > READ_BYTES)
    throw new WorkspaceError(
      `"${label}" has ${bytes} bytes, more than can be read at once. Look at parts of it with execute_shell (head, tail, sed -n).`,
    );
  const seen = await runFileOperation(label, () => readWhole(place));
  const file = await decodeText(seen.bytes, place.encoding);
  const { version } = seen;
  return file ? { kind: "text", file, version } : { kind: "binary", bytes: seen.bytes.length, version };
}

function readWhole({ path }: ResolvedPath): ReturnType<typeof readWholeFile> {
  return runInFolder(dirname(path), (at) => readWholeFile(at(basename(path))));
}

async function move(from: ResolvedPath, to: ResolvedPath): Promise<void> {
  await makeParents(to);
  await callInParent(from, (fromAt, fromName) =>
    callInParent(to, async (toAt, toName) => {
      await ensureUnchanged(fromAt(fromName), from);
      return moveWithoutOverwriting(fromAt(fromName), toAt(toName));
    }),
  );
}

async function remove(place: ResolvedPath, trash: WorkspaceOptions["moveToTrash"]): Promise<string> {
  return callInParent(place, async (at, name) => {
    if (place.kind === "folder") {
      await rmdir(at(name));
      return "";
    }
    if (trash) {
      await ensureUnchanged(at(name), place);
      return trash(place.path);
    }
    await retryWhileOpen(at(name), async () => {
      await ensureUnchanged(at(name), place);
      await unlink(at(name));
    });
    return "It can't be restored from a trash.";
  });
}

async function ensureUnchanged(path: string, place: ResolvedPath): Promise<void> {
  const now = await snapshot(path).catch((error: unknown) => {
    if (hasCode(error, "EACCES", "EPERM")) return { version: place.version };
    throw error;
  });
  if (now.version !== place.version)
    throw new StaleFileError(
      `"${place.label}" was changed in the meantime, so it was left unchanged. Look at it again.`,
    );
}

/** Creates the missing folders above a path, one by one, each while its parent is held. */
async function makeParents(place: ResolvedPath): Promise<void> {
  const missing: string[] = [];
  let folder = dirname(place.path);
  while (resolveFolder(folder).length === 0 && dirname(folder) !== folder) {
    missing.unshift(basename(folder));
    folder = dirname(folder);
  }
  for (const name of missing) {
    await runInFolder(folder, (at) => makeFolder(at(name)));
    folder = join(folder, name);
  }
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path).catch(ignoreCodes("EEXIST"));
}

function callInParent<T>(place: ResolvedPath, act: (at: PathInFolder, name: string) => Promise<T>): Promise<T> {
  return runInFolder(dirname(place.path), (at) => act(at, basename(place.path)));
}

function resolveFolder(path: string): readonly string[] {
  try {
    return [realpathSync.native(path)];
  } catch {
    return [];
  }
}
