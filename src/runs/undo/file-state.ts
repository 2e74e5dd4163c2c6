import { lstat } from "node:fs/promises";
import { codeOf } from "../log/log-errors.ts";
import { hashOf } from "./pre-images.ts";

/** What stood at a path at one moment, as far as undo has to know. */
export type FileState =
  | { readonly kind: "missing" }
  | { readonly kind: "folder" }
  /** `hash`: SHA-256 of the content. */
  | { readonly kind: "file"; readonly hash: string; readonly bytes: number; readonly mode: number }
  /** A link, a device, or a file too large to be kept: it cannot be brought back. */
  | { readonly kind: "other"; readonly why: string };

const MISSING: FileState = { kind: "missing" };

/** Looks at a path without following a link in its last name. */
export async function readFileState(path: string): Promise<FileState> {
  try {
    const found = await lstat(path);
    if (found.isDirectory()) return { kind: "folder" };
    if (!found.isFile()) return { kind: "other", why: "It is a link or a device." };
    const { hash, bytes } = await hashOf(path);
    return { kind: "file", hash, bytes, mode: found.mode & 0o777 };
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return MISSING;
    return { kind: "other", why: "It cannot be read." };
  }
}

/** True when nothing tells two states apart that undo would have to bring back. */
export function sameState(one: FileState | undefined, other: FileState | undefined): boolean {
  if (!one || !other || one.kind === "other" || other.kind === "other") return false;
  if (one.kind === "file") return other.kind === "file" && one.hash === other.hash;
  return one.kind === other.kind;
}
