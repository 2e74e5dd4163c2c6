import type { Sentence } from "../../texts/display-text.ts";
/** Kinds of entries. A link's target can't be known, so no path leads through a link. */
export type VirtualKind = "file" | "folder" | "link" | "other";

/** An entry as its provider describes it. */
export interface VirtualStat {
  readonly kind: VirtualKind;
  readonly bytes: number;
  /** A time that changes with most content changes. */
  readonly changedAt: number;
  readonly isReadOnly: boolean;
}

/**
 * Files outside this machine's disk, which another program provides. Paths are URI paths; see `isUriPath`. Every method
 * throws `VirtualFileError`.
 */
export interface VirtualFiles {
  /** Why nothing in a folder can be changed, as a sentence; undefined if something can, or if that isn't known. */
  readOnlyReason(folder: string): Sentence | undefined;
  /** Undefined if nothing exists at the path. */
  stat(path: string): Promise<VirtualStat | undefined>;
  read(path: string): Promise<Uint8Array>;
  listEntries(folder: string): Promise<readonly { readonly name: string; readonly kind: VirtualKind }[]>;
  /** Creates or replaces a file. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** Creates a folder and those above it. */
  makeFolder(path: string): Promise<void>;
  /** Moves, never over another file. */
  move(from: string, to: string): Promise<void>;
  /** Deletes a file, or an empty folder. True if it's in a trash. */
  remove(path: string): Promise<boolean>;
}

/** The kinds of failures that providers report. */
export type VirtualFailure = "missing" | "exists" | "folder" | "notFolder" | "denied" | "unavailable" | "other";

/** A provider failed or refused. `message` is its own text. */
export class VirtualFileError extends Error {
  override readonly name = "VirtualFileError";
  readonly failure: VirtualFailure;

  constructor(failure: VirtualFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}
