import { lstat, realpath } from "node:fs/promises";
import { basename } from "node:path";
import { findErrorCode, hasCode } from "../../disk/error-codes.ts";
import { hashFile } from "../../disk/sha256.ts";
import type { FileState } from "../../schema/stored-files.ts";
import {
  convertToStoredText,
  displayText,
  getErrorText,
  type Sentence,
  writeInEnglish,
} from "../../texts/display-text.ts";
import type { PreImages } from "./pre-images.ts";

export type { FileState } from "../../schema/stored-files.ts";

/** The files that undo examines: those of the disk, or those of a virtual workspace. */
export interface SeenFiles {
  /** The current state of a path; `other` if it can't be read. */
  readState(path: string): Promise<FileState>;
  /** Does the same, and keeps the content. Throws a sentence if that fails. A file that's too large gets a state with the reason. */
  keep(path: string, kept: PreImages): Promise<FileState>;
  /** The same files as programs see them; absent if there is no difference. */
  readonly onDisk?: SeenFiles;
}

/** The files of the disk. */
export const diskFiles: SeenFiles = { readState: readFileState, keep };

const MISSING: FileState = { kind: "missing" };

/** Reads the state of a path without following a link in its last part. */
export async function readFileState(path: string): Promise<FileState> {
  try {
    const found = await lstat(path);
    if (!found.isSymbolicLink() && (await isOtherCase(path))) return MISSING;
    if (found.isDirectory()) return { kind: "folder" };
    if (!found.isFile()) return createOtherState(displayText("trouble.isLinkOrDevice"));
    const { hash, bytes } = await hashFile(path);
    return { kind: "file", hash, bytes, mode: found.mode & 0o777 };
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return MISSING;
    return createOtherState(displayText("trouble.cantBeRead"));
  }
}

/** True if only a name that differs in its case exists, on systems that find it under this one, too. */
async function isOtherCase(path: string): Promise<boolean> {
  if (process.platform === "linux") return false;
  const [name, found] = [basename(path), basename(await realpath(path))].map((one) => one.normalize());
  return name !== found && name?.toLowerCase() === found?.toLowerCase();
}

/** A state that undo can neither compare nor restore, with the reason. */
export function createOtherState(why: Sentence): FileState {
  return { kind: "other", why: writeInEnglish(why), ...convertToStoredText(why) };
}

/** True if two states are the same for undo. */
export function isSameState(one: FileState | undefined, other: FileState | undefined): boolean {
  if (!one || !other || one.kind === "other" || other.kind === "other") return false;
  if (one.kind === "file") return other.kind === "file" && one.hash === other.hash;
  if (one.kind === "link") return other.kind === "link" && one.to === other.to;
  return one.kind === other.kind;
}

/** True if a change left a path as it was, permission bits included. */
export function isUnchanged(was: FileState, is: FileState | undefined): boolean {
  if (was.kind === "file" && is?.kind === "file" && was.mode !== is.mode) return false;
  return isSameState(was, is);
}

async function keep(path: string, kept: PreImages): Promise<FileState> {
  const now = await readFileState(path);
  if (now.kind !== "file" || (await kept.has(now.hash))) return now;
  return keepContentState(() => kept.keep(path));
}

/** The state of a file whose content was kept; `other` with the reason if there is no space for it. Throws if the disk fails. */
export async function keepContentState(keep: () => ReturnType<PreImages["keep"]>): Promise<FileState> {
  try {
    return { kind: "file", ...(await keep()) };
  } catch (error) {
    if (findErrorCode(error) !== undefined) throw error;
    return createOtherState(getErrorText(error));
  }
}
