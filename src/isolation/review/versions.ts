import { createHash } from "node:crypto";
import { type FileHandle, lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, sep } from "node:path";
import { StaleFileError } from "../../core/ports/workspace.ts";
import { isAtOrBelow } from "../../disk/below.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { openFile, readFileBytes } from "../../disk/plain-file.ts";
import { sha256 } from "../../disk/sha256.ts";
import { runInFolder } from "../../node/files/held-folder.ts";
import { createOtherState, type FileState, keepContentState, type SeenFiles } from "../../runs/undo/file-state.ts";
import { displayText } from "../../texts/display-text.ts";
import type { BaseState, CopiedFolder } from "../copy/copy.ts";

/** A path at one moment. */
export interface Version {
  readonly state: FileState;
  /** Content of a file that isn't huge. */
  readonly content?: Buffer;
}

/** Larger files aren't merged, and their contents aren't held in memory. */
export const HUGE_BYTES = 5 * 1024 * 1024;

/** Larger ones can't be written at once. A sparse file may have any size. */
const MOST_BYTES = 2_000_000_000;

export const MISSING: Version = { state: { kind: "missing" } };

/** A path below something that is no folder, or below a link. */
const NO_FOLDER: Version = { state: createOtherState(displayText("isolation.why.notAFolder")) };

/** Reads a path without following links, neither in its last segment nor in its parent folders. */
export async function readVersion(path: string): Promise<Version> {
  try {
    return await runInFolder(dirname(path), (at) => readOpenVersion(at(basename(path))));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return (await isReachable(dirname(path))) ? MISSING : NO_FOLDER;
    if (error instanceof StaleFileError || hasCode(error, "ENOTDIR", "ELOOP")) return NO_FOLDER;
    return { state: createOtherState(displayText("trouble.cantBeRead")) };
  }
}

/** True if no link leads to the nearest existing folder of a path. */
async function isReachable(folder: string): Promise<boolean> {
  try {
    return (await realpath(folder)) === folder && (await lstat(folder)).isDirectory();
  } catch (error) {
    return hasCode(error, "ENOENT") && dirname(folder) !== folder && isReachable(dirname(folder));
  }
}

/** Like `readVersion`, but a path below something that isn't a folder counts as missing. */
export async function readReachableVersion(path: string): Promise<Version> {
  const version = await readVersion(path);
  return version === NO_FOLDER ? MISSING : version;
}

async function readOpenVersion(path: string): Promise<Version> {
  const stats = await lstat(path);
  if (stats.isDirectory()) return { state: { kind: "folder" } };
  if (stats.isSymbolicLink()) return { state: { kind: "link", to: await readlink(path) } };
  if (!stats.isFile()) return { state: createOtherState(displayText("isolation.why.special")) };
  await using file = await openFile(path);
  const { size, mode } = await file.stat();
  if (size > MOST_BYTES) return { state: createOtherState(displayText("isolation.why.tooLarge")) };
  if (size <= HUGE_BYTES) return createFileVersion(await readUpTo(file, size), mode);
  const digest = createHash("sha256");
  let bytes = 0;
  for await (const chunk of file.createReadStream({ autoClose: false, end: size - 1 })) {
    digest.update(chunk);
    bytes += chunk.length;
  }
  return { state: { kind: "file", hash: digest.digest("hex"), bytes, mode: mode & 0o777 } };
}

/** Reads the first bytes of a file. A program that extends the file meanwhile can't exhaust memory. */
async function readUpTo(file: FileHandle, size: number): Promise<Buffer> {
  const content = Buffer.alloc(size);
  let filled = 0;
  for (let read = 1; read > 0 && filled < size; filled += read)
    read = (await file.read(content, filled, size - filled, filled)).bytesRead;
  return content.subarray(0, filled);
}

/** Reads a whole file that isn't held in memory. Throws if it has changed since its version was read. */
export async function readWholeContent(path: string, hash: string): Promise<Buffer> {
  const content = await runInFolder(dirname(path), (at) => readFileBytes(at(basename(path))));
  if (sha256(content) !== hash) throw new StaleFileError(`"${path}" was changed in the meantime.`);
  return content;
}

/** Creates a file's version. */
function createFileVersion(content: Buffer, mode: number): Version {
  const state: FileState = {
    kind: "file",
    hash: sha256(content),
    bytes: content.length,
    mode: mode & 0o777,
  };
  return content.length > HUGE_BYTES ? { state } : { state, content };
}

/**
 * A path's version when the copy was made; `content`: its content in git. Lost content can't be compared, so both sides count as changed.
 */
export async function readBaseVersion(
  base: BaseState | undefined,
  folder: CopiedFolder,
  content: Buffer | undefined,
): Promise<Version> {
  if (!base) return MISSING;
  switch (base.kind) {
    case "file":
      return content ? createFileVersion(content, base.mode) : readKeptVersion(base);
    case "link":
      return { state: { kind: "link", to: resolveLinkTarget(base.leadsTo ?? "", folder) } };
    case "other":
      return { state: createOtherState(displayText("isolation.why.special")) };
  }
}

async function readKeptVersion({ held, mode }: BaseState): Promise<Version> {
  const version = held && "kept" in held ? await readVersion(held.kept) : MISSING;
  if (version.state.kind !== "file") return { state: createOtherState(displayText("trouble.keptContentGone")) };
  return { ...version, state: { ...version.state, mode: mode & 0o777 } };
}

/** Resolves a link's target for the workspace: an absolute one into the copy is redirected to the workspace. */
export function resolveLinkTarget(to: string, { origin, path }: CopiedFolder): string {
  return isAbsolute(to) && isAtOrBelow(to, path) ? join(origin, to.slice(path.length)) : to;
}

/** The workspace's files, as undo of accepted changes reads them: links have their own state. */
export const linkedFiles: SeenFiles = {
  readState: async (path) => (await readReachableVersion(path)).state,
  keep: async (path, kept) => {
    const { state } = await readReachableVersion(path);
    if (state.kind !== "file" || (await kept.has(state.hash))) return state;
    return keepContentState(() => kept.keep(path));
  },
};

/** The folders between a workspace folder and a path in it, outermost first. */
export function listFoldersBetween(path: string, root: string): readonly string[] {
  const names = path.slice(root.length).split(sep).filter(Boolean);
  return names.slice(0, -1).map((_name, index) => join(root, ...names.slice(0, index + 1)));
}
