import { getErrorMessage } from "../../core/base/errors.ts";
import { VirtualFileError, type VirtualFiles } from "../../core/ports/virtual-files.ts";
import { StaleFileError } from "../../core/ports/workspace.ts";
import { sha256 } from "../../disk/sha256.ts";
import { type FileState, keepContentState, type SeenFiles } from "../../runs/undo/file-state.ts";
import type { PreImages } from "../../runs/undo/pre-images.ts";
import type { UndoFiles } from "../../runs/undo/undo.ts";
import { DisplayError } from "../../texts/display-text.ts";

/** Virtual files have no permission bits, but stored contents need some. */
const MODE = 0o644;

/** Larger files aren't kept. */
const MOST_BYTES = 100 * 1024 * 1024;

/** A virtual workspace's files, as undo reads them. */
export function createVirtualSeenFiles(files: VirtualFiles): SeenFiles {
  return {
    readState: async (path) => (await readFileState(path, files)).state,
    keep: async (path, kept) => {
      const { state, bytes, error } = await readFileState(path, files);
      // A file that can't be kept now must not be changed.
      if (error && error.failure !== "denied") throw error;
      return bytes ? keepFileState(bytes, kept) : state;
    },
  };
}

/** A virtual workspace's files, as undo changes them. A file in an unexpected state isn't changed. */
export function createVirtualUndoFiles(files: VirtualFiles): UndoFiles {
  const demand = async (path: string, expected: string | undefined): Promise<void> => {
    const { state } = await readFileState(path, files);
    const isExpected =
      expected === undefined ? state.kind === "missing" : state.kind === "file" && state.hash === expected;
    if (!isExpected) throw new StaleFileError("The file was changed in the meantime, so it was left unchanged.");
  };
  const put = async (path: string, expected: string | undefined, bytes: Buffer): Promise<void> => {
    demandWritable(path, files);
    await demand(path, expected);
    await files.write(path, bytes);
  };
  return {
    put,
    putFile: async (path, expected, from) => put(path, expected, await from.read()),
    remove: async (path, expected) => {
      demandWritable(path, files);
      await demand(path, expected);
      await files.remove(path);
    },
    makeFolder: (path) => files.makeFolder(path),
    removeFolder: async (path) => {
      const entries = await files.listEntries(path).catch(ignoreMissing);
      if (entries?.length === 0) await files.remove(path);
    },
  };
}

function demandWritable(path: string, files: VirtualFiles): void {
  const reason = files.readOnlyReason(path);
  if (reason !== undefined) throw new DisplayError(reason);
}

async function keepFileState(bytes: Buffer, kept: PreImages): Promise<FileState> {
  const hash = sha256(bytes);
  if (await kept.has(hash)) return { kind: "file", hash, bytes: bytes.length, mode: MODE };
  return keepContentState(() => kept.keepBytes(bytes, MODE));
}

async function readFileState(
  path: string,
  files: VirtualFiles,
): Promise<{ readonly state: FileState; readonly bytes?: Buffer; readonly error?: VirtualFileError }> {
  try {
    const found = await files.stat(path);
    if (!found) return { state: { kind: "missing" } };
    if (found.kind === "folder") return { state: { kind: "folder" } };
    if (found.kind !== "file") return { state: { kind: "other", why: "It's a link or no file." } };
    if (found.bytes > MOST_BYTES) return { state: { kind: "other", why: "It's too large to be kept." } };
    const bytes = Buffer.from(await files.read(path));
    return { state: { kind: "file", hash: sha256(bytes), bytes: bytes.length, mode: MODE }, bytes };
  } catch (error) {
    if (!(error instanceof VirtualFileError)) throw error;
    return { state: { kind: "other", why: `It can't be read: ${getErrorMessage(error)}` }, error };
  }
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof VirtualFileError && error.failure === "missing") return undefined;
  throw error;
}
