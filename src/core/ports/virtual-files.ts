import type { Sentence } from "../../texts/display-text.ts";
/** Kinds of entries. The target of a link can't be known, so nothing goes through one. */
export type VirtualKind = "file" | "folder" | "link" | "other";

/** An entry as its provider describes it. */
export interface VirtualStat {
  readonly kind: VirtualKind;
  readonly bytes: number;
  /** Changes with most changes of the content. */
  readonly changedAt: number;
  readonly isReadOnly: boolean;
}

/**
 * Files outside this machine's disk, which another program provides. Paths are URI paths; see `isUriPath`. Every method
 * throws `VirtualFileError`.
 */
export interface VirtualFiles {
  /** Why nothing can be changed in a folder, as a sentence; undefined if something can, or it isn't known. */
  readOnlyReason(folder: string): Sentence | undefined;
  /** Undefined if nothing is there. */
  stat(path: string): Promise<VirtualStat | undefined>;
  read(path: string): Promise<Uint8Array>;
  listEntries(folder: string): Promise<readonly { readonly name: string; readonly kind: VirtualKind }[]>;
  /** Creates or replaces a file. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** Creates a folder and those above it. */
  makeFolder(path: string): Promise<void>;
  /** Never over another file. */
  move(from: string, to: string): Promise<void>;
  /** Deletes a file, or an empty folder. True if it's in a trash. */
  remove(path: string): Promise<boolean>;
}

/** The kinds of failures that providers report. */
export type VirtualFailure =
  | "missing"
  | "exists"
  | "folder"
  | "notFolder"
  | "denied"
  | "unavailable"
  | "other";

/** A provider failed or refused. `message` is its own text. */
export class VirtualFileError extends Error {
  override readonly name = "VirtualFileError";
  readonly failure: VirtualFailure;

  constructor(failure: VirtualFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}
