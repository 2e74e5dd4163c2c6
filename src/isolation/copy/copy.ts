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
  /** The folder that holds the whole copy. The run's programs see only the paths in `visible`. */
  readonly home: string;
  readonly folders: readonly CopiedFolder[];
  /** Folders that the run's programs can see and write: whole repositories with their `.git`, and folders without one. */
  readonly visible: readonly string[];
  /** If the run gets its own copy of a folder, the folder is removed from this list. */
  readonly borrowed: BorrowedFolder[];
  /** Folders of git objects that the copied repositories borrow. Programs may read them. */
  readonly objects: readonly string[];
  /** Differences between the copy and the workspace that the user should know, such as secrets that were left out. */
  readonly notes: readonly Sentence[];
}

/** A path whose content differs from the time of the copy. */
export interface CopyChange {
  readonly folder: CopiedFolder;
  /** Relative to the folder, with slashes. */
  readonly file: string;
  /** State when the copy was made; absent if it didn't exist. */
  readonly base?: BaseState;
  /** State in the copy now; absent if it was deleted. */
  readonly now?: PathState;
}

/** A path's state on a disk, without its content. */
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
  /** Location of the content: a workspace repository, or a file stored with the copy. */
  readonly held?: HeldBlob | { readonly kept: string };
}
