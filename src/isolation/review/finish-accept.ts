import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { StaleFileError } from "../../core/ports/workspace.ts";
import { renameFile } from "../../disk/rename-file.ts";
import { type FileState, isSameState, isUnchanged } from "../../runs/undo/file-state.ts";
import { mapInParallel } from "../../runs/undo/in-parallel.ts";
import type { JournalChange, SettledChange } from "../../runs/undo/journal-lines.ts";
import { createUndo, putKept, type Undo, type UndoFiles, type UndoResult } from "../../runs/undo/undo.ts";
import type { AcceptedPath, AcceptPlan } from "../../schema/stored-files.ts";
import { DisplayError, displayText, fail, getErrorText, type Sentence } from "../../texts/display-text.ts";
import {
  type AcceptedChanges,
  type AcceptedPlace,
  createAcceptedChanges,
  findUnfinishedPlan,
  getFinishedPlanName,
  PLAN,
} from "./accepted.ts";
import { runUnderReviewLock, takeReviewLock } from "./review-lock.ts";
import { linkedFiles, readVersion } from "./versions.ts";

/** The result of an acceptance, for the run's log. */
export interface AcceptRecord {
  /** Labels. */
  readonly files: readonly string[];
  readonly conflicts: readonly string[];
}

/** Dependencies of finishing an acceptance. */
export interface FinishParts {
  readonly files: UndoFiles;
  record(result: AcceptRecord): Promise<void>;
}

/** Files that were written, and those that were left out, each with the reason. */
export interface Finished {
  readonly files: readonly string[];
  readonly conflicts: readonly { readonly label: string; readonly why: Sentence }[];
}

/**
 * Completes and records an acceptance interrupted by a crash. Undefined if there is none, or if another program is completing it. If
 * completion fails, reverts the acceptance and throws a sentence.
 */
export async function recoverAccept(place: AcceptedPlace, parts: FinishParts): Promise<Finished | undefined> {
  const accepted = createAcceptedChanges(place);
  if (!(await findUnfinishedPlan(accepted))) return undefined;
  const lock = await takeReviewLock(place);
  if (!lock) return undefined;
  try {
    return await recoverUnderLock(accepted, parts);
  } finally {
    await lock.release();
  }
}

/** The same for callers that hold the review's lock. */
export async function recoverUnderLock(accepted: AcceptedChanges, parts: FinishParts): Promise<Finished | undefined> {
  const plan = await findUnfinishedPlan(accepted);
  if (!plan) return undefined;
  await removePlanTemporaries(plan);
  return finishAccept(accepted, plan, parts);
}

/** Carries out the rest of a plan, and archives it. */
export async function finishAccept(accepted: AcceptedChanges, plan: AcceptPlan, parts: FinishParts): Promise<Finished> {
  const { journal, folder } = accepted;
  const paths = plan.paths.map(({ path }) => path);
  const begun = await findBegunChange(accepted, plan);
  const change =
    begun?.change ?? (await journal.begin({ by: "step", step: plan.step, files: paths.map((path) => ({ path })) }));
  const unkept = change.files.find(({ was }) => was.kind === "other");
  const left = new Map<string, Sentence>();
  try {
    if (unkept?.was.kind === "other")
      throw new DisplayError(displayText("isolation.accept.notKept", { file: unkept.path, why: unkept.was.why }));
    if (begun?.settled) leaveUnmade(plan, begun.settled, left);
    else await carryOut(accepted, plan, { files: parts.files, left });
  } catch (error) {
    await revert(accepted, plan, { change, files: parts.files });
    throw new DisplayError(displayText("isolation.accept.reverted", { why: getErrorText(error) }), {
      cause: error,
    });
  }
  if (!begun?.settled) await journal.settle(change, paths);
  const files = plan.paths.flatMap(({ label, path }) => (label === undefined || left.has(path) ? [] : [label]));
  const conflicts = plan.paths.flatMap(({ label, path }) => {
    const why = left.get(path);
    return label === undefined || why === undefined ? [] : [{ label, why }];
  });
  await parts.record({ files, conflicts: [...plan.conflicts, ...conflicts.map(({ label }) => label)] });
  await renameFile(join(folder, PLAN), join(folder, getFinishedPlanName(plan.step)));
  return { files, conflicts };
}

/** The plan's line in the journal; undefined if it wasn't written yet. */
async function findBegunChange(
  { journal }: AcceptedChanges,
  { step }: AcceptPlan,
): Promise<{ readonly change: JournalChange; readonly settled?: SettledChange } | undefined> {
  const lines = await journal.read();
  const change = lines.find((line) => "by" in line && line.by === "step" && line.step === step);
  if (!change || !("by" in change)) return undefined;
  const settled = lines.find((line) => "now" in line && line.id === change.id);
  return { change, ...(settled && "now" in settled ? { settled } : {}) };
}

/** Reports unmade changes without writing them: the user may have undone the plan since. */
function leaveUnmade({ paths }: AcceptPlan, { now }: SettledChange, left: Map<string, Sentence>): void {
  const states = new Map(now.map(({ path, is }) => [path, is]));
  for (const { path, target } of paths)
    if (!isUnchanged(target, states.get(path))) left.set(path, displayText("isolation.why.changedSince"));
}

interface CarryingOut {
  readonly files: UndoFiles;
  /** Paths that weren't changed, each with the reason. */
  readonly left: Map<string, Sentence>;
}

/** Makes the remaining changes of a plan: removals first, then folders, then files. */
async function carryOut({ kept }: AcceptedChanges, { paths }: AcceptPlan, { files, left }: CarryingOut): Promise<void> {
  const failures: unknown[] = [];
  const change = async (one: AcceptedPath, act: (now: FileState) => Promise<void>): Promise<void> => {
    if (left.has(one.path) || failures.length > 0) return;
    try {
      const { state } = await readVersion(one.path);
      if (state.kind === "other") throw createChangedFileError(one);
      if (!isUnchanged(one.target, state)) await act(state);
    } catch (error) {
      if (error instanceof StaleFileError) left.set(one.path, displayText("isolation.why.changedSince"));
      else failures.push(error);
    }
  };
  // Those that are being made are awaited before anything is reverted.
  const changeAll = async (
    some: readonly AcceptedPath[],
    act: (one: AcceptedPath, now: FileState) => Promise<void>,
  ) => {
    await mapInParallel(some, (one) => change(one, (now) => act(one, now)));
    if (failures.length > 0) throw failures[0];
  };
  await changeAll(paths.filter(isRemoved), async (one, now) => {
    if (now.kind === "missing") return;
    if (!isSameState(now, one.was)) throw createChangedFileError(one);
    if (now.kind === "file") await files.remove(one.path, now.hash);
    if (now.kind === "link") await removeLink(files, one.path, now.to);
  });
  const emptied = paths.filter(({ was, target }) => was.kind === "folder" && target.kind !== "folder");
  for (const one of sortDeepestFirst(emptied)) await changeAll([one], ({ path }) => files.removeFolder(path));
  const made = paths.filter(({ target }) => target.kind === "folder");
  for (const one of sortDeepestFirst(made).toReversed())
    await changeAll([one], async ({ path }, now) => {
      if (now.kind !== "missing") throw createChangedFileError(one);
      await files.makeFolder(path);
    });
  await changeAll(paths, async (one, now) => {
    const { path, was, target } = one;
    const stays = was.kind === "file" && target.kind === "file";
    if (stays ? !isSameState(now, was) && !isSameState(now, target) : isInTheWay(now, one))
      throw createChangedFileError(one);
    const expected = now.kind === "file" ? now.hash : undefined;
    if (target.kind === "file") await putKept({ files, kept }, path, expected, target);
    if (target.kind === "link") await makeLink(files, path, target.to);
  });
}

/** A file replaced by a file is overwritten at once; anything else is removed first. */
function isRemoved({ was, target }: AcceptedPath): boolean {
  return was.kind === "link" || (was.kind === "file" && target.kind !== "file");
}

function isInTheWay(now: FileState, { target }: AcceptedPath): boolean {
  if (target.kind === "folder" || target.kind === "missing") return false;
  return now.kind !== "missing" && !isSameState(now, target);
}

function createChangedFileError({ path }: AcceptedPath): StaleFileError {
  return new StaleFileError(`"${path}" was changed in the meantime.`);
}

function sortDeepestFirst(paths: readonly AcceptedPath[]): readonly AcceptedPath[] {
  return paths.toSorted((one, other) => other.path.length - one.path.length);
}

function removeLink(files: UndoFiles, path: string, to: string): Promise<void> {
  return files.removeLink ? files.removeLink(path, to) : fail("isolation.why.special");
}

function makeLink(files: UndoFiles, path: string, to: string): Promise<void> {
  return files.makeLink ? files.makeLink(path, to) : fail("isolation.why.special");
}

/** Reverts the finished part of a plan. Changes that can't be reverted stay in the journal. */
async function revert(
  accepted: AcceptedChanges,
  { step, paths }: AcceptPlan,
  { change, files }: { readonly change: JournalChange; readonly files: UndoFiles },
): Promise<void> {
  const { journal, folder } = accepted;
  await journal.settle(
    change,
    paths.map(({ path }) => path),
  );
  await createAcceptedUndo(accepted, { files, folder }).undo({ step });
  await rm(join(folder, PLAN), { force: true });
}

/** Dependencies of an undo. */
interface WithdrawParts {
  readonly files: UndoFiles;
  /** Paths are displayed relative to this workspace folder. */
  readonly folder: string;
  /** True for a file with unsaved edits in an editor. */
  isUnsaved?(path: string): boolean;
}

function createAcceptedUndo({ journal, kept }: AcceptedChanges, { files, folder, isUnsaved }: WithdrawParts): Undo {
  const explainBlockedPath = (path: string): Sentence | undefined =>
    isUnsaved?.(path) ? displayText("isolation.why.unsaved") : undefined;
  return createUndo({ journal, kept, files, seen: linkedFiles, folder, explainBlocked: explainBlockedPath });
}

/** Undoes the last acceptance that is in effect. Throws a sentence if there is none. */
export async function withdrawAccept(place: AcceptedPlace, parts: WithdrawParts): Promise<UndoResult> {
  return runUnderReviewLock(place, async () => {
    const undo = createAcceptedUndo(createAcceptedChanges(place), parts);
    const [latest] = await undo.listUndoableSteps();
    if (!latest) fail("isolation.accept.none");
    return undo.undo({ step: latest.step });
  });
}

/** True while an acceptance is in effect. */
export async function canWithdraw(place: AcceptedPlace, parts: WithdrawParts): Promise<boolean> {
  return (await createAcceptedUndo(createAcceptedChanges(place), parts).listUndoableSteps()).length > 0;
}

/** Removes the temporary files that a killed program has left beside the files of a plan. */
async function removePlanTemporaries({ paths }: AcceptPlan): Promise<void> {
  const folders = new Map<string, string[]>();
  for (const { path, target } of paths)
    if (target.kind === "file")
      folders.set(dirname(path), [...(folders.get(dirname(path)) ?? []), `.${basename(path).slice(0, 100)}.`]);
  for (const [folder, starts] of folders)
    for (const name of await readdir(folder).catch(() => []))
      if (/\.[0-9a-f]{12}\.tmp$/.test(name) && starts.includes(name.slice(0, -16)))
        await rm(join(folder, name), { force: true });
}
