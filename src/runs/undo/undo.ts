import { relative, sep } from "node:path";
import { errorMessage } from "../../core/base/errors.ts";
import { type FileState, readFileState, sameState } from "./file-state.ts";
import { inParallel } from "./in-parallel.ts";
import type { UndoJournal } from "./journal.ts";
import type { PreImages } from "./pre-images.ts";
import {
  concerns,
  type PathHistory,
  type PathPlan,
  pathHistories,
  planRedo,
  planUndo,
  type UndoRequest,
} from "./undo-plan.ts";

/** What undo works with. */
export interface UndoContext {
  readonly journal: UndoJournal;
  readonly kept: PreImages;
  readonly files: UndoFiles;
  /** Real path of the folder that the run works in; paths are told relative to it. */
  readonly folder: string;
  /** Why a path may not be changed just now, as a sentence: edits in an editor that are not saved. */
  blocked?(path: string): string | undefined;
}

/** A file that is not as the agent left it: it was not touched. */
export interface Conflict {
  readonly path: string;
  /** For people. */
  readonly file: string;
  readonly step: number;
  /** Why, as a sentence. */
  readonly why: string;
  /** The changes that undo would have taken back. */
  readonly of: readonly number[];
  readonly now: FileState;
  /** What undo would have put there. */
  readonly target: FileState;
}

/** What an undo came to. */
export interface UndoResult {
  /** The files that stand as wanted, by step, the latest step first. */
  readonly steps: readonly { readonly step: number; readonly files: readonly string[] }[];
  readonly conflicts: readonly Conflict[];
  /** Steps that ran programs, whose changes were not seen and are not undone. */
  readonly unseen: readonly number[];
}

/** A step whose changes stand. */
export interface UndoableStep {
  readonly step: number;
  readonly files: readonly { readonly path: string; readonly file: string }[];
}

/** Undoes what the agent did to files and nothing else. */
export interface Undo {
  /** All that stands of the run, or of one step, or of some files. */
  undo(wanted: UndoRequest): Promise<UndoResult>;
  /** Undoes the latest undo that stands. */
  redo(): Promise<UndoResult>;
  /** Puts what the user made of a conflict in the file's place, as an undo; nothing for no file. Throws when the file has changed again. */
  settle(conflict: Conflict, bytes: Buffer | undefined): Promise<void>;
  /** Steps with changes that stand, the latest first. */
  standing(): Promise<readonly UndoableStep[]>;
  canRedo(): Promise<boolean>;
  /** What stood at each path that the run has changed, before it did so the first time. */
  before(): Promise<readonly EarlierContent[]>;
}

/** A path as it was before the run. */
export interface EarlierContent {
  readonly path: string;
  /** For people. */
  readonly file: string;
  readonly was: FileState;
}

/** Undo and redo over a run's journal. */
export function undoOf(parts: UndoContext): Undo {
  const histories = async () => pathHistories(await parts.journal.read());
  return {
    async undo(wanted) {
      const lines = await parts.journal.read();
      const seen = lines.flatMap((line) => ("seen" in line && line.seen ? [line.step] : []));
      const ran = lines.flatMap((line) =>
        "ran" in line && line.ran && !seen.includes(line.step) ? [line.step] : [],
      );
      const unseen = ran.filter((step) => concerns(wanted, step));
      return { ...(await carryOut(parts, "undo", planUndo(pathHistories(lines), wanted))), unseen };
    },
    redo: async () => ({ ...(await carryOut(parts, "redo", planRedo(await histories()))), unseen: [] }),
    settle: (conflict, bytes) => settle(parts, conflict, bytes),
    standing: async () => standingSteps(await histories(), parts.folder),
    before: async () =>
      (await histories()).flatMap(({ path, standing: [first] }) =>
        first ? [{ path, file: label(parts.folder, path, first.was), was: first.was }] : [],
      ),
    canRedo: async () => (await histories()).some(({ undone }) => undone.length > 0),
  };
}

interface Ready {
  readonly plan: PathPlan;
  readonly now: FileState;
}

async function carryOut(
  parts: UndoContext,
  by: "undo" | "redo",
  plans: readonly PathPlan[],
): Promise<Pick<UndoResult, "steps" | "conflicts">> {
  const looked = await inParallel(plans, async (plan) => ({ plan, now: await readFileState(plan.path) }));
  const checked = looked.map((one) => ({ ...one, why: problemOf(parts, one.plan, one.now) }));
  const ready = checked.filter(({ why }) => why === undefined);
  const conflicts = checked.flatMap(({ plan, now, why }) =>
    why === undefined ? [] : [conflictOf(parts, plan, now, why)],
  );
  if (ready.length === 0) return { steps: [], conflicts };
  const change = await parts.journal.begin({
    by,
    step: Math.max(...ready.flatMap(({ plan }) => plan.steps)),
    files: ready.map(({ plan }) => ({ path: plan.path, of: plan.of })),
  });
  const kept = new Map(change.files.map(({ path, was }) => [path, was]));
  const failed: Conflict[] = [];
  for (const group of inGroups(ready))
    failed.push(...(await inParallel(group, (one) => make(parts, one, kept.get(one.plan.path)))).flat());
  const done = ready.filter(({ plan }) => !failed.some(({ path }) => path === plan.path));
  await parts.journal.settle(
    change,
    done.map(({ plan }) => plan.path),
  );
  const files = done.flatMap(({ plan: { path, steps, target, expected } }) =>
    steps.map((step) => ({ step, file: label(parts.folder, path, target, expected) })),
  );
  return { steps: bySteps(files), conflicts: [...conflicts, ...failed] };
}

async function settle(
  { journal, files }: UndoContext,
  { path, step, of, now }: Conflict,
  bytes: Buffer | undefined,
): Promise<void> {
  const change = await journal.begin({ by: "undo", step, files: [{ path, of }] });
  const expected = now.kind === "file" ? now.hash : undefined;
  if (bytes) await files.put(path, expected, bytes);
  else if (expected !== undefined) await files.remove(path, expected);
  await journal.settle(change, [path]);
}

function standingSteps(histories: readonly PathHistory[], folder: string): readonly UndoableStep[] {
  const all = histories.flatMap(({ path, standing }) =>
    standing.map(({ step, was, is }) => ({ step, path, file: label(folder, path, was, is) })),
  );
  return latestFirst(all).map((step) => ({ step, files: all.filter((one) => one.step === step) }));
}

/** Makes a path as planned, if what was kept of it is what was looked at; else it is a conflict. */
async function make(
  parts: UndoContext,
  { plan, now }: Ready,
  kept: FileState | undefined,
): Promise<readonly Conflict[]> {
  try {
    if (!sameState(kept, now)) throw new Error("It was changed in the meantime.");
    await restore(parts, plan, now);
    return [];
  } catch (error) {
    return [conflictOf(parts, plan, await readFileState(plan.path), messageOf(error))];
  }
}

/** Why a path is left alone; undefined when it can be made as planned, or stands so already. */
function problemOf(parts: UndoContext, plan: PathPlan, now: FileState): string | undefined {
  if (sameState(now, plan.target)) return undefined;
  if (plan.obstacle !== undefined) return plan.obstacle;
  if (plan.target.kind === "other") return `What was there before cannot be brought back. ${plan.target.why}`;
  if (!plan.expected)
    return "The run was interrupted while it changed this file, so nobody knows what the agent did to it.";
  if (!sameState(now, plan.expected)) return "It was changed since.";
  return parts.blocked?.(plan.path);
}

function conflictOf({ folder }: UndoContext, plan: PathPlan, now: FileState, why: string): Conflict {
  const { path, target, of } = plan;
  return { path, file: label(folder, path, target), step: Math.max(...plan.steps), why, of, now, target };
}

function bySteps(
  files: readonly { readonly step: number; readonly file: string }[],
): readonly { readonly step: number; readonly files: readonly string[] }[] {
  return latestFirst(files).map((step) => ({
    step,
    files: files.filter((one) => one.step === step).map(({ file }) => file),
  }));
}

function latestFirst(all: readonly { readonly step: number }[]): readonly number[] {
  return [...new Set(all.map(({ step }) => step))].toSorted((one, other) => other - one);
}

/** The path for people; a folder's ends with a `/`. */
function label(folder: string, path: string, ...states: readonly (FileState | undefined)[]): string {
  const way = relative(folder, path);
  const end = states.some((state) => state?.kind === "folder") ? "/" : "";
  return `${way.startsWith("..") ? path : way.split(sep).join("/")}${end}`;
}

function messageOf(error: unknown): string {
  return errorMessage(error);
}

/** Changes files that are still what they are taken for, and throws otherwise. `expected` is the SHA-256 of what is there. */
interface UndoFiles {
  put(path: string, expected: string | undefined, bytes: Buffer, mode?: number): Promise<void>;
  remove(path: string, expected: string): Promise<void>;
  makeFolder(path: string): Promise<void>;
  /** Leaves a folder that holds anything. */
  removeFolder(path: string): Promise<void>;
}

/** Makes one path as planned; `now` is what stands there. */
async function restore(
  { files, kept }: { readonly files: UndoFiles; readonly kept: PreImages },
  { path, target }: PathPlan,
  now: FileState,
): Promise<void> {
  if (now.kind === "folder" && target.kind !== "folder") await files.removeFolder(path);
  if (target.kind === "folder") return files.makeFolder(path);
  const expected = now.kind === "file" ? now.hash : undefined;
  if (target.kind === "file") return files.put(path, expected, await kept.read(target.hash), target.mode);
  if (expected !== undefined) await files.remove(path, expected);
}

/**
 * Plans in groups, one after the other, each of plans that do not mind each other: folders that come back, then files that come back to
 * them, then files that go, then the folders they lay in, the deepest first.
 */
function inGroups<T extends { readonly plan: PathPlan; readonly now: FileState }>(
  plans: readonly T[],
): readonly (readonly T[])[] {
  const back = plans.filter(({ plan }) => plan.target.kind === "folder");
  const files = plans.filter(({ plan }) => plan.target.kind === "file");
  const gone = plans.filter((one) => !back.includes(one) && !files.includes(one));
  const folders = gone
    .filter(({ now }) => now.kind === "folder")
    .toSorted((one, other) => other.plan.path.length - one.plan.path.length);
  return [
    ...back.map((one) => [one]),
    files,
    gone.filter((one) => !folders.includes(one)),
    ...folders.map((one) => [one]),
  ];
}
