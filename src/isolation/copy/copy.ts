import type { HeldBlob } from "../../core/ports/folder-watch.ts";
import type { Sentence } from "../../texts/display-text.ts";

/** A workspace folder and its copy. */
export interface CopiedFolder {
  /** The name that the run's paths begin with. */
  readonly name: string;
  /** Real path of the workspace folder. */
  readonly origin: string;
  /** Real path of its copy. */
  readonly path: string;
}

/** A dependency folder that isn't copied: programs see `origin` at `path`, read-only or below a writable layer. */
export interface BorrowedFolder {
  readonly origin: string;
  readonly path: string;
}

/** The files that an isolated run works on. */
export interface Copy {
  /** ID of the run. */
  readonly run: string;
  /** The folder that holds all of it. Programs of the run see only `visible` of it. */
  readonly home: string;
  readonly folders: readonly CopiedFolder[];
  /** The parts of it that programs of the run see and write: whole repositories with their `.git`, and folders without one. */
  readonly visible: readonly string[];
  /** A folder that the run gets a copy of is removed from the list. */
  readonly borrowed: BorrowedFolder[];
  /** Folders of git objects that the copied repositories borrow. Programs may read them. */
  readonly objects: readonly string[];
  /** Differences between the copy and the workspace that the user should know, such as secrets that were left out. */
  readonly notes: readonly Sentence[];
}

/** A path of the copy that differs from its content when the copy was made. */
export interface CopyChange {
  readonly folder: CopiedFolder;
  /** Relative to the folder, with slashes. */
  readonly file: string;
  /** State when the copy was made; absent if it didn't exist. */
  readonly base?: BaseState;
  /** State in the copy now; absent if it was deleted. */
  readonly now?: PathState;
}

/** A path as it is on a disk, without its content. */
export interface PathState {
  readonly kind: "file" | "link" | "other";
  /** Permission bits. */
  readonly mode: number;
  readonly bytes: number;
  /** Target of a link. */
  readonly leadsTo?: string;
}

/** A path when the copy was made. */
export interface BaseState extends PathState {
  /** The place of a file's content: a repository of the workspace, or a file that was kept with the copy. */
  readonly held?: HeldBlob | { readonly kept: string };
}
