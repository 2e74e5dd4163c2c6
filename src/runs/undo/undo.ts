import { relative, sep } from "node:path";
import { getErrorMessage } from "../../core/base/errors.ts";
import { displayText, fail, restoreSentence, type Sentence } from "../../texts/display-text.ts";
import { diskFiles, type FileState, isSameState, type SeenFiles } from "./file-state.ts";
import { mapInParallel } from "./in-parallel.ts";
import type { UndoJournal } from "./journal.ts";
import type { PreImages } from "./pre-images.ts";
import {
  collectPathHistories,
  isInUndoScope,
  type PathHistory,
  type PathPlan,
  planRedo,
  planUndo,
  type UndoRequest,
} from "./undo-plan.ts";

/** Everything that undo works with. */
export interface UndoContext {
  readonly journal: UndoJournal;
  readonly kept: PreImages;
  readonly files: UndoFiles;
  /** Absent: the files of the disk. */
  readonly seen?: SeenFiles;
  /** The real path of the run's folder; paths are displayed relative to it. */
  readonly folder: string;
  /** Why a path can't be changed at the moment, as a sentence, such as unsaved edits. */
  explainBlocked?(path: string): Sentence | undefined;
}

/** A file that isn't as the agent left it, so it wasn't changed. */
export interface Conflict {
  readonly path: string;
  /** For people. */
  readonly file: string;
  readonly step: number;
  /** Why, as a sentence. */
  readonly why: Sentence;
  /** The changes that undo would have reverted. */
  readonly of: readonly number[];
  readonly now: FileState;
  /** The state that undo would have restored. */
  readonly target: FileState;
}

/** The result of an undo. */
export interface UndoResult {
  /** The restored files by step, latest step first. */
  readonly steps: readonly { readonly step: number; readonly files: readonly string[] }[];
  readonly conflicts: readonly Conflict[];
  /** Steps that ran programs whose changes are unknown and weren't undone. */
  readonly unseen: readonly number[];
}

/** A step with changes in effect. */
export interface UndoableStep {
  readonly step: number;
  readonly files: readonly { readonly path: string; readonly file: string }[];
}

/** Undoes the agent's changes to files, and nothing else. */
export interface Undo {
  /** Undoes all changes in a scope that are in effect. */
  undo(wanted: UndoRequest): Promise<UndoResult>;
  /** Redoes the latest undo. */
  redo(): Promise<UndoResult>;
  /** Writes the user's resolution of a conflict as an undo; `undefined` removes the file. Throws if the file has changed again. */
  settle(conflict: Conflict, bytes: Buffer | undefined): Promise<void>;
  /** The steps with changes in effect, latest first. */
  listUndoableSteps(): Promise<readonly UndoableStep[]>;
  canRedo(): Promise<boolean>;
  /** The state of each changed path before the run's first change of it. */
  listEarlierContents(): Promise<readonly EarlierContent[]>;
}

/** The state of a path before the run. */
export interface EarlierContent {
  readonly path: string;
  /** For people. */
  readonly file: string;
  readonly was: FileState;
}

/** Undo and redo over a run's journal. */
export function createUndo(parts: UndoContext): Undo {
  const readHistories = async () => collectPathHistories(await parts.journal.read());
  return {
    async undo(wanted) {
      const lines = await parts.journal.read();
      const seen = lines.flatMap((line) => ("seen" in line && line.seen ? [line.step] : []));
      const ran = lines.flatMap((line) => ("ran" in line && line.ran && !seen.includes(line.step) ? [line.step] : []));
      const unseen = ran.filter((step) => isInUndoScope(wanted, step));
      return { ...(await carryOut(parts, "undo", planUndo(collectPathHistories(lines), wanted))), unseen };
    },
    redo: async () => ({ ...(await carryOut(parts, "redo", planRedo(await readHistories()))), unseen: [] }),
    settle: (conflict, bytes) => settle(parts, conflict, bytes),
    listUndoableSteps: async () => listUndoableSteps(await readHistories(), parts.folder),
    listEarlierContents: async () =>
      (await readHistories()).flatMap(({ path, standing: [first] }) =>
        first ? [{ path, file: formatLabel(parts.folder, path, first.was), was: first.was }] : [],
      ),
    canRedo: async () => (await readHistories()).some(({ undone }) => undone.length > 0),
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
  const { readState } = parts.seen ?? diskFiles;
  const looked = await mapInParallel(plans, async (plan) => ({ plan, now: await readState(plan.path) }));
  const checked = await mapInParallel(looked, async (one) => ({
    ...one,
    why: explainProblem(parts, one.plan, one.now) ?? (await explainLoss(parts, one)),
  }));
  const ready = checked.filter(({ why }) => why === undefined);
  const conflicts = checked.flatMap(({ plan, now, why }) =>
    why === undefined ? [] : [createConflict(parts, plan, now, why)],
  );
  if (ready.length === 0) return { steps: [], conflicts };
  const change = await parts.journal.begin({
    by,
    step: Math.max(...ready.flatMap(({ plan }) => plan.steps)),
    files: ready.map(({ plan }) => ({ path: plan.path, of: plan.of })),
  });
  const kept = new Map(change.files.map(({ path, was }) => [path, was]));
  const failed: Conflict[] = [];
  for (const group of groupPlans(ready))
    failed.push(...(await mapInParallel(group, (one) => make(parts, one, kept.get(one.plan.path)))).flat());
  const done = ready.filter(({ plan }) => !failed.some(({ path }) => path === plan.path));
  await parts.journal.settle(
    change,
    done.map(({ plan }) => plan.path),
  );
  const files = done.flatMap(({ plan: { path, steps, target, expected } }) =>
    steps.map((step) => ({ step, file: formatLabel(parts.folder, path, target, expected) })),
  );
  return { steps: groupBySteps(files), conflicts: [...conflicts, ...failed] };
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

function listUndoableSteps(histories: readonly PathHistory[], folder: string): readonly UndoableStep[] {
  const all = histories.flatMap(({ path, standing }) =>
    standing.map(({ step, was, is }) => ({ step, path, file: formatLabel(folder, path, was, is) })),
  );
  return listStepsLatestFirst(all).map((step) => ({ step, files: all.filter((one) => one.step === step) }));
}

/** Restores a path as planned. It's a conflict if the path changed after it was checked. */
async function make(
  parts: UndoContext,
  { plan, now }: Ready,
  kept: FileState | undefined,
): Promise<readonly Conflict[]> {
  try {
    if (!isSameState(kept, now)) fail("trouble.changedMeanwhile");
    await restore(parts, plan, now);
    return [];
  } catch (error) {
    return [createConflict(parts, plan, await (parts.seen ?? diskFiles).readState(plan.path), getErrorMessage(error))];
  }
}

/** Why a path isn't restored, as a sentence; undefined if it can be, or already is. */
function explainProblem(parts: UndoContext, plan: PathPlan, now: FileState): Sentence | undefined {
  if (isSameState(now, plan.target)) return undefined;
  if (plan.obstacle !== undefined) return plan.obstacle;
  if (plan.target.kind === "other")
    return displayText("trouble.cantRestore", {
      why: restoreSentence(plan.target.why, plan.target.text),
    });
  if (!plan.expected) return displayText("trouble.interruptedDuringChange");
  if (plan.expected.kind === "other")
    return displayText("trouble.notAsLeft", {
      why: restoreSentence(plan.expected.why, plan.expected.text),
    });
  if (!isSameState(now, plan.expected)) return displayText("trouble.changedAfterward");
  return parts.explainBlocked?.(plan.path);
}

/** Explains in a sentence why the content to restore isn't available: it's missing, or differs from what was kept. */
async function explainLoss({ kept }: UndoContext, { plan: { target }, now }: Ready): Promise<Sentence | undefined> {
  const isThere = target.kind !== "file" || isSameState(now, target) || (await kept.has(target.hash));
  return isThere ? undefined : displayText("trouble.keptContentGone");
}

function createConflict({ folder }: UndoContext, plan: PathPlan, now: FileState, why: Sentence): Conflict {
  const { path, target, of } = plan;
  return {
    path,
    file: formatLabel(folder, path, target),
    step: Math.max(...plan.steps),
    why,
    of,
    now,
    target,
  };
}

function groupBySteps(
  files: readonly { readonly step: number; readonly file: string }[],
): readonly { readonly step: number; readonly files: readonly string[] }[] {
  return listStepsLatestFirst(files).map((step) => ({
    step,
    files: files.filter((one) => one.step === step).map(({ file }) => file),
  }));
}

function listStepsLatestFirst(all: readonly { readonly step: number }[]): readonly number[] {
  return [...new Set(all.map(({ step }) => step))].toSorted((one, other) => other - one);
}

/** The path for people; a folder's ends with a `/`. */
function formatLabel(folder: string, path: string, ...states: readonly (FileState | undefined)[]): string {
  const way = relative(folder, path);
  const end = states.some((state) => state?.kind === "folder") ? "/" : "";
  return `${way.startsWith("..") ? path : way.split(sep).join("/")}${end}`;
}

/** A content that is too large to be read as a whole, unless there is no other way. */
interface LargeContent {
  /** The file that contains it. */
  readonly path: string;
  /** SHA-256 of the content. A file with another content isn't written. */
  readonly hash: string;
  read(): Promise<Buffer>;
}

/** Changes files, and throws if a file isn't in the expected state. `expected` is the SHA-256 of its current content. */
export interface UndoFiles {
  put(path: string, expected: string | undefined, bytes: Buffer, mode?: number): Promise<void>;
  /** Does the same with the content of another file, of any size. */
  putFile(path: string, expected: string | undefined, from: LargeContent, mode: number): Promise<void>;
  remove(path: string, expected: string): Promise<void>;
  makeFolder(path: string): Promise<void>;
  /** Removes a folder only if it's empty. */
  removeFolder(path: string): Promise<void>;
  /** Creates a link where nothing exists. Absent where links aren't restored. */
  makeLink?(path: string, to: string): Promise<void>;
  removeLink?(path: string, to: string): Promise<void>;
}

/** Larger contents aren't read as a whole. */
const LARGE_BYTES = 5 * 1024 * 1024;

/** Writes a kept content. */
export async function putKept(
  { files, kept }: { readonly files: UndoFiles; readonly kept: PreImages },
  path: string,
  expected: string | undefined,
  { hash, bytes, mode }: Extract<FileState, { kind: "file" }>,
): Promise<void> {
  const read = () => kept.read(hash);
  if (bytes > LARGE_BYTES) {
    const from = { path: await kept.getKeptPath(hash), hash, read };
    await files.putFile(path, expected, from, mode);
  } else await files.put(path, expected, await read(), mode);
}

/** Restores one path as planned; `now` is its current state. */
async function restore(
  { files, kept }: { readonly files: UndoFiles; readonly kept: PreImages },
  { path, target }: PathPlan,
  now: FileState,
): Promise<void> {
  if (now.kind === "folder" && target.kind !== "folder") await files.removeFolder(path);
  if (now.kind === "link") await files.removeLink?.(path, now.to);
  const expected = now.kind === "file" ? now.hash : undefined;
  if (target.kind === "file") return putKept({ files, kept }, path, expected, target);
  if (expected !== undefined) await files.remove(path, expected);
  if (target.kind === "folder") await files.makeFolder(path);
  if (target.kind === "link") await files.makeLink?.(path, target.to);
}

/**
 * Groups plans that don't depend on each other, in order: paths in the way of a file, folders to create, files to write, files to remove,
 * folders to remove, deepest first. In the way is what is below the file's path, or has its name in another case.
 */
function groupPlans<T extends { readonly plan: PathPlan; readonly now: FileState }>(
  plans: readonly T[],
): readonly (readonly T[])[] {
  const isFile = ({ kind }: FileState): boolean => kind === "file" || kind === "link";
  const back = plans.filter(({ plan }) => plan.target.kind === "folder");
  const files = plans.filter(({ plan }) => isFile(plan.target));
  const covered = files.filter(({ now }) => now.kind === "folder").map(({ plan }) => `${plan.path}${sep}`);
  const isBelowFile = ({ plan }: T): boolean => covered.some((folder) => plan.path.startsWith(folder));
  const foldCase = (path: string): string => path.normalize().toLowerCase();
  const respelled = new Set(files.map(({ plan }) => foldCase(plan.path)));
  const inTheWay = plans.filter(
    (one) => one.plan.target.kind === "missing" && (isBelowFile(one) || respelled.has(foldCase(one.plan.path))),
  );
  const gone = plans.filter((one) => !back.includes(one) && !files.includes(one) && !inTheWay.includes(one));
  const folders = gone
    .filter(({ now }) => now.kind === "folder")
    .toSorted((one, other) => other.plan.path.length - one.plan.path.length);
  const deepestFirst = inTheWay.toSorted((one, other) => other.plan.path.length - one.plan.path.length);
  return [
    ...deepestFirst.map((one) => [one]),
    ...back.map((one) => [one]),
    files,
    gone.filter((one) => !folders.includes(one)),
    ...folders.map((one) => [one]),
  ];
}
