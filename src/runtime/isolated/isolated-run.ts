import type { ShellResult } from "../../core/ports/programs.ts";
import type { Copy, CopyChange } from "../../isolation/copy/copy.ts";
import type { NewCopy } from "../../isolation/copy/create-copy.ts";
import type { Cleaning } from "../../isolation/copy/remove-copy.ts";
import type { Accepted, Choice } from "../../isolation/review/accept.ts";
import type { NewBranch } from "../../isolation/review/branch.ts";
import type { Review } from "../../isolation/review/review.ts";
import type { NoWalls, Walls } from "../../isolation/walls/walls.ts";
import type { UndoResult } from "../../runs/undo/undo.ts";
import type { Settings } from "../../schema/settings.ts";

/** An isolated run, as its user and its host see it. Each result of a review is recorded in the run's log. */
export interface IsolatedRun {
  readonly copy: Copy;
  readonly walls: Walls;
  /** Runs a command line from the user within the walls, in the copy of the run's folder. */
  runLine(line: string, timeoutSeconds: number, signal: AbortSignal): Promise<ShellResult>;
  /** Compares its changes with the workspace as it is now. */
  review(signal: AbortSignal): Promise<Review>;
  /** Writes chosen changes into the workspace, as one change that can be undone. */
  accept(review: Review, choices: ReadonlyMap<string, Choice>): Promise<Accepted>;
  /** True while an accept is in effect. */
  canWithdraw(): Promise<boolean>;
  /** Undoes the last accept that is in effect. */
  withdraw(): Promise<UndoResult>;
  /**
   * Commits changes to a new branch of the workspace's repository and leaves its checked-out files as they are. Returns the committed
   * files.
   */
  keepAsBranch(review: Review, branch: NewBranch): Promise<readonly string[]>;
  /** Deletes the copy. The run can only be read from then on. */
  discard(signal: AbortSignal): Promise<void>;
}

/** Copies and walls for isolated runs. */
export interface HostIsolation {
  /** Finds the sandbox, tested once for each engine. */
  findWalls(engine: Settings["isolation"]["engine"]): Promise<Walls | NoWalls>;
  /** Creates a copy. Throws a sentence if that fails, and leaves nothing behind. */
  createCopy(wanted: NewCopy): Promise<Copy>;
  /** Opens a copy. Throws a sentence if it's gone or damaged. */
  openCopy(home: string): Promise<Copy>;
  removeCopy(home: string): Promise<void>;
  /** Bytes of all copies in a folder, each as last measured. */
  countHeldBytes(root: string): Promise<number>;
  /** The paths that differ from the original copy. */
  listChanges(copy: Copy, signal: AbortSignal): Promise<readonly CopyChange[]>;
  /** Reads contents that git had of changed files when the copy was made, as far as they can still be read. */
  readBaseContents(changes: readonly CopyChange[]): Promise<ReadonlyMap<CopyChange, Buffer>>;
  /** Deletes unneeded copies, and reviewed ones, oldest first, until the others fit into the quota. */
  clean(root: string, cleaning: Cleaning): Promise<unknown>;
}

/** A setting in megabytes as a number of bytes. */
export function convertToBytes(megabytes: number): number {
  return megabytes * 1024 ** 2;
}
