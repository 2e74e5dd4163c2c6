import { lstatSync, realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { omitUndefined } from "../core/base/objects.ts";
import { isUriPath } from "../core/base/uri-path.ts";
import type { Run } from "../core/events/run.ts";
import { getRunPhase } from "../core/events/run-state.ts";
import type { LiveRun } from "../core/loop/live-run.ts";
import { isBelow } from "../disk/below.ts";
import { isForbiddenName } from "../isolation/review/own-yes.ts";
import type { RunLease } from "../runs/log/run-lease.ts";
import type { SeenFiles } from "../runs/undo/file-state.ts";
import type { UndoJournal } from "../runs/undo/journal.ts";
import type { PreImages } from "../runs/undo/pre-images.ts";
import { type Conflict, createUndo, type Undo, type UndoFiles, type UndoResult } from "../runs/undo/undo.ts";
import type { UndoRequest } from "../runs/undo/undo-plan.ts";
import { DisplayError, displayText, fail, type Sentence } from "../texts/display-text.ts";

/** Dependencies of a run's undo. */
export interface RunUndoOptions {
  readonly journal: UndoJournal;
  readonly kept: PreImages;
  readonly seen: SeenFiles;
  readonly files: UndoFiles;
  readonly folder: string;
  listFolders(): readonly string[];
  /** Why a file mustn't be changed now, as a sentence. */
  explainProblem(path: string): Sentence | undefined;
}

/** A run whose changes can be undone, unless it is only read. */
export interface UndoableRun {
  readonly run: Run;
  readonly live?: LiveRun;
  readonly undo?: Undo;
  readonly lease?: RunLease;
  readonly readOnly?: Sentence;
}

/** Creates the undo of a run, which changes only files in the run's folders, follows no link, and never changes git's own files. */
export function createRunUndo({ folder, listFolders, explainProblem, ...parts }: RunUndoOptions): Undo {
  const explainForbidden = (path: string): Sentence | undefined => {
    const around = listFolders().find((one) => isBelow(path, one));
    if (around === undefined) return displayText("trouble.outsideFolders");
    return isUriPath(path) ? undefined : explainUnsafe(path, around);
  };
  const explainBlocked = (path: string): Sentence | undefined => explainForbidden(path) ?? explainProblem(path);
  const undo = createUndo({
    ...parts,
    folder: isUriPath(folder) ? folder : resolveRealFolder(folder),
    explainBlocked,
  });
  return {
    ...undo,
    settle: async (conflict, bytes) => {
      const why = explainForbidden(conflict.path);
      if (why !== undefined) throw new DisplayError(why);
      await undo.settle(conflict, bytes);
    },
  };
}

/** Explains why a journal mustn't name a path of a workspace folder: a repository can contain a journal. */
function explainUnsafe(path: string, folder: string): Sentence | undefined {
  const names = relative(folder, path).split(sep);
  if (isForbiddenName(names.join("/"), process.platform)) return displayText("isolation.why.name");
  const above = names.slice(0, -1).map((_name, index) => join(folder, ...names.slice(0, index + 1)));
  const isLink = (one: string) => lstatSync(one, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return above.some(isLink) ? displayText("isolation.why.notAFolder") : undefined;
}

/** Undoes steps and records the result. Throws a sentence if the run can't be undone now. */
export async function undoSteps(hosted: UndoableRun, wanted: UndoRequest): Promise<UndoResult> {
  const undo = requireUndo(hosted);
  return runAlone(hosted, async () => {
    const done = await undo.undo(wanted);
    await recordUndone(hosted, done, false);
    return done;
  });
}

/** Undoes the latest undo. Throws a sentence if there is none, or if that isn't possible now. */
export async function redoLatestUndo(hosted: UndoableRun): Promise<UndoResult> {
  const undo = requireUndo(hosted);
  if (!(await undo.canRedo())) fail("trouble.nothingToRedo");
  return runAlone(hosted, async () => {
    const done = await undo.redo();
    await recordUndone(hosted, done, true);
    return done;
  });
}

/** Replaces the file with the user's resolution of a conflict, and records it. */
export async function settleConflict(
  hosted: UndoableRun,
  conflict: Conflict,
  bytes: Buffer | undefined,
): Promise<void> {
  const undo = requireUndo(hosted);
  await runAlone(hosted, async () => {
    await undo.settle(conflict, bytes);
    await hosted.run.record({ type: "undone", step: conflict.step, files: [conflict.file] });
  });
}

/** Acts on a run's files while no other process may change them. */
function runAlone<T>({ lease }: UndoableRun, act: () => Promise<T>): Promise<T> {
  return lease ? lease.runExclusively(act) : act();
}

const MOST_CONFLICTS = 5;

/** Changes that could not be undone, as a sentence; undefined if all were. */
export function describeConflicts({ conflicts }: Pick<UndoResult, "conflicts">): Sentence | undefined {
  if (conflicts.length === 0) return undefined;
  const some = conflicts
    .slice(0, MOST_CONFLICTS)
    .map(({ file, why }) => displayText("trouble.fileBecause", { file, why }));
  const count = conflicts.length - some.length;
  const files = count > 0 ? [...some, displayText("common.more", { count })] : some;
  return displayText("trouble.leftAsIs", { files });
}

/** The run's undo. Throws a sentence if the run is only read, or if its command is running. */
export function requireUndo({ undo, readOnly, live, run }: UndoableRun): Undo {
  if (!undo) throw new DisplayError(readOnly ?? displayText("actions.readOnly"));
  if (live?.running && getRunPhase(run.state) === "acting") fail("trouble.commandStillRunning");
  return undo;
}

async function recordUndone({ run }: UndoableRun, { steps }: UndoResult, redone: boolean): Promise<void> {
  for (const { step, files } of redone ? steps.toReversed() : steps)
    await run.record({ type: "undone", step, files, ...omitUndefined({ redone: redone || undefined }) });
}

function resolveRealFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}
