import { realpathSync } from "node:fs";
import { relative, sep } from "node:path";
import { phase } from "../../core/events/run-state.ts";
import { fileReplacer } from "../../node/files/atomic-write.ts";
import type { UndoJournal } from "../../runs/undo/journal.ts";
import type { PreImages } from "../../runs/undo/pre-images.ts";
import { type Conflict, type Undo, type UndoResult, undoOf } from "../../runs/undo/undo.ts";
import type { UndoRequest } from "../../runs/undo/undo-plan.ts";
import type { HostedRun } from "../host/hosted-runs.ts";
import { unsavedBelow } from "../workspace/unsaved-files.ts";

/** The undo of a run in the editor: it keeps to the open folders and to what is saved. */
export function editorUndo(
  journal: UndoJournal,
  kept: PreImages,
  folder: string,
  folders: () => readonly string[],
): Undo {
  const blocked = (path: string): string | undefined => {
    if (!folders().some((one) => isBelow(path, one))) return "It lies outside the folders that are open.";
    return unsavedBelow(path) === undefined ? undefined : "It has edits in the editor that are not saved.";
  };
  return undoOf({ journal, kept, files: fileReplacer(), folder: realFolder(folder), blocked });
}

/** Undoes and writes down what came of it. Throws a sentence when the run cannot be undone now. */
export async function undoIn(hosted: HostedRun, wanted: UndoRequest): Promise<UndoResult> {
  const done = await undoableNow(hosted).undo(wanted);
  await recordUndone(hosted, done, false);
  return done;
}

/** Undoes the latest undo. Throws a sentence when there is none, or when that cannot be done now. */
export async function redoIn(hosted: HostedRun): Promise<UndoResult> {
  const undo = undoableNow(hosted);
  if (!(await undo.canRedo()))
    throw new Error("Nothing in this run was undone, so there is nothing to redo.");
  const done = await undo.redo();
  await recordUndone(hosted, done, true);
  return done;
}

/** Puts what the user made of a conflict in the file's place, and writes that down. */
export async function settleIn(
  hosted: HostedRun,
  conflict: Conflict,
  bytes: Buffer | undefined,
): Promise<void> {
  await undoableNow(hosted).settle(conflict, bytes);
  await hosted.run.record({ type: "undone", step: conflict.step, files: [conflict.file] });
}

/** What could not be undone, as a sentence; undefined when all was. */
export function conflictText({ conflicts }: Pick<UndoResult, "conflicts">): string | undefined {
  if (conflicts.length === 0) return undefined;
  const some = conflicts.slice(0, 5).map(({ file, why }) => `${file} (${why})`);
  const more = conflicts.length > some.length ? ` and ${conflicts.length - some.length} more` : "";
  return `Left as it is: ${some.join(", ")}${more}.`;
}

/** The run's undo. Throws a sentence for a run that is only read, and for one whose command is at work. */
export function undoableNow(hosted: HostedRun): Undo {
  if (!hosted.undo) throw new Error(hosted.readOnly ?? "This run is read-only.");
  if (hosted.live?.running && phase(hosted.run.state) === "acting")
    throw new Error(
      "A command of this run is still running. Wait until it ends, or stop the agent, then undo.",
    );
  return hosted.undo;
}

async function recordUndone(hosted: HostedRun, { steps }: UndoResult, redone: boolean): Promise<void> {
  for (const { step, files } of redone ? steps.toReversed() : steps)
    await hosted.run.record({ type: "undone", step, files, ...(redone ? { redone } : {}) });
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way.split(sep)[0] !== ".." && way !== path;
}

function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}
