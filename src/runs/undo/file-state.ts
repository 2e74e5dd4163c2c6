import { lstat } from "node:fs/promises";
import type { FileState } from "../../schema/stored-files.ts";
import { codeOf } from "../log/log-errors.ts";
import { hashOf } from "./pre-images.ts";

export type { FileState } from "../../schema/stored-files.ts";

const MISSING: FileState = { kind: "missing" };

/** Reads the state of a path without following a link in its last part. */
export async function readFileState(path: string): Promise<FileState> {
  try {
    const found = await lstat(path);
    if (found.isDirectory()) return { kind: "folder" };
    if (!found.isFile()) return { kind: "other", why: "It's a link or a device." };
    const { hash, bytes } = await hashOf(path);
    return { kind: "file", hash, bytes, mode: found.mode & 0o777 };
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return MISSING;
    return { kind: "other", why: "It can't be read." };
  }
}

/** True if two states are the same for undo. */
export function sameState(one: FileState | undefined, other: FileState | undefined): boolean {
  if (!one || !other || one.kind === "other" || other.kind === "other") return false;
  if (one.kind === "file") return other.kind === "file" && one.hash === other.hash;
  return one.kind === other.kind;
}
