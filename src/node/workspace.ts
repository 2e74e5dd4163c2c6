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
import type { WorkspaceFolder } from "../schema/run-values.ts";
import { moveWithoutOverwriting, writeAtomically } from "./files/atomic-write.ts";
import { hasCode, withFileErrors } from "./files/file-errors.ts";
import { snapshot, wholeFile } from "./files/file-version.ts";
import { inFolder, type PathInFolder } from "./files/held-folder.ts";
import { locate } from "./files/path-resolution.ts";
import { rootsOf } from "./files/roots.ts";
import { decodeText, encodeText } from "./files/text-encoding.ts";
import { listPlace } from "./search/folder-contents.ts";
import { nearestIn } from "./search/indexed-files.ts";
import { searchPlace } from "./search/search.ts";
import type { SearchParts } from "./search/search-parts.ts";

/** Larger files aren't read as a whole. */
const READ_BYTES = 200 * 1024 * 1024;

/** Options of a workspace on the disk. */
export interface WorkspaceOptions extends Partial<SearchParts> {
  /** The run's own first; as a function if folders may be added or removed. */
  readonly folders: readonly WorkspaceFolder[] | (() => readonly WorkspaceFolder[]);
  /** Moves a file where it can be restored from, and says how, in a sentence. Without it, files are deleted permanently. */
  trash?(path: string): Promise<string>;
}

/** A workspace with known folders. */
export interface FolderWorkspace extends Workspace, BinaryFiles {
  /** The real paths of its folders. */
  folders(): readonly string[];
}

/** The user's folders on the disk. */
export function nodeWorkspace(options: WorkspaceOptions): FolderWorkspace {
  const { folders, trash } = options;
  const parts: SearchParts = { leftOut: () => false, ...options };
  const open = () => (typeof folders === "function" ? folders() : folders);
  const roots = () => rootsOf(open());
  return {
    folders: () => open().flatMap(({ path }) => realFolder(path)),
    locate: async (path, use) => locate(path, await roots(), use),
    read,
    write: async (place, file) => {
      const bytes = await encodeText(file);
      await withFileErrors(place.label, async () => {
        await makeParents(place);
        await atName(place, (at, name) => writeAtomically(at, name, place.version, bytes));
      });
    },
    readBytes: (place) => withFileErrors(place.label, async () => (await wholeAt(place)).bytes),
    writeBytes: (place, bytes) =>
      withFileErrors(place.label, async () => {
        await makeParents(place);
        await atName(place, (at, name) => writeAtomically(at, name, place.version, Buffer.from(bytes)));
      }),
    createFolder: (place) =>
      withFileErrors(place.label, async () => {
        await makeParents(place);
        await atName(place, (at, name) => makeFolder(at(name)));
      }),
    move: (from, to) => withFileErrors(to.label, () => move(from, to)),
    remove: (place) => withFileErrors(place.label, () => remove(place, trash)),
    list: async (place, options) =>
      withFileErrors(place.label, async () => listPlace(place, await roots(), options, parts)),
    nearestFile: async (label, signal) =>
      withFileErrors(label, async () => nearestIn(parts.files, await roots(), label, signal)),
    search: async (place, options) =>
      withFileErrors(place.label, async () => searchPlace(place, await roots(), options, parts)),
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
  const seen = await withFileErrors(label, () => wholeAt(place));
  const file = await decodeText(seen.bytes, place.encoding);
  const { version } = seen;
  return file ? { kind: "text", file, version } : { kind: "binary", bytes: seen.bytes.length, version };
}

function wholeAt({ path }: ResolvedPath): ReturnType<typeof wholeFile> {
  return inFolder(dirname(path), (at) => wholeFile(at(basename(path))));
}

async function move(from: ResolvedPath, to: ResolvedPath): Promise<void> {
  await makeParents(to);
  await atName(from, (fromAt, fromName) =>
    atName(to, async (toAt, toName) => {
      await stillThere(fromAt(fromName), from);
      return moveWithoutOverwriting(fromAt(fromName), toAt(toName));
    }),
  );
}

async function remove(place: ResolvedPath, trash: WorkspaceOptions["trash"]): Promise<string> {
  return atName(place, async (at, name) => {
    if (place.kind === "folder") {
      await rmdir(at(name));
      return "";
    }
    await stillThere(at(name), place);
    if (trash) return trash(place.path);
    await unlink(at(name));
    return "It can't be restored from a trash.";
  });
}

async function stillThere(path: string, place: ResolvedPath): Promise<void> {
  const now = await snapshot(path).catch((error: unknown) => {
    if (hasCode(error, "EACCES", "EPERM")) return { version: place.version };
    throw error;
  });
  if (now.version !== place.version)
    throw new StaleFileError(
      `"${place.label}" was changed in the meantime, so it was left unchanged. Look at it again.`,
    );
}

/** Creates the folders above a path, one by one, each in the folder that was just held. */
async function makeParents(place: ResolvedPath): Promise<void> {
  const missing: string[] = [];
  let folder = dirname(place.path);
  while (realFolder(folder).length === 0 && dirname(folder) !== folder) {
    missing.unshift(basename(folder));
    folder = dirname(folder);
  }
  for (const name of missing) {
    await inFolder(folder, (at) => makeFolder(at(name)));
    folder = join(folder, name);
  }
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path).catch((error: unknown) => {
    if (!hasCode(error, "EEXIST")) throw error;
  });
}

function atName<T>(place: ResolvedPath, act: (at: PathInFolder, name: string) => Promise<T>): Promise<T> {
  return inFolder(dirname(place.path), (at) => act(at, basename(place.path)));
}

function realFolder(path: string): readonly string[] {
  try {
    return [realpathSync.native(path)];
  } catch {
    return [];
  }
}
