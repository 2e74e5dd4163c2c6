import { omitUndefined } from "../../core/base/objects.ts";
import { displayText, type Sentence } from "../../texts/display-text.ts";
import { type FileState, isSameState, isUnchanged } from "./file-state.ts";
import type { JournalChange, SettledChange } from "./journal-lines.ts";

/** A change of one path by a step. */
interface Deed {
  readonly id: number;
  readonly step: number;
  readonly was: FileState;
  /** Unknown after an interruption. */
  readonly is?: FileState;
}

/** An undo of one path that can be redone. */
interface UndoDeed extends Deed {
  readonly deeds: readonly Deed[];
}

/** The history of one path: the changes in effect, and the undone ones, oldest first. */
export interface PathHistory {
  readonly path: string;
  readonly standing: readonly Deed[];
  readonly undone: readonly UndoDeed[];
}

/** The history of each path in a journal. */
export function collectPathHistories(lines: readonly (JournalChange | SettledChange)[]): readonly PathHistory[] {
  const settled = new Map<string, FileState>();
  for (const line of lines)
    if ("now" in line) for (const { path, is } of line.now) settled.set(`${line.id} ${path}`, is);
  const paths = new Map<string, GrowingHistory>();
  for (const line of lines) {
    if ("now" in line) continue;
    for (const { path, was, of = [] } of line.files) {
      const is = settled.get(`${line.id} ${path}`);
      const deed: Deed = { id: line.id, step: line.step, was, ...omitUndefined({ is }) };
      const history = paths.get(path) ?? { path, standing: [], undone: [] };
      paths.set(path, history);
      add(history, line.by, deed, of);
    }
  }
  return [...paths.values()];
}

interface GrowingHistory {
  readonly path: string;
  standing: Deed[];
  undone: UndoDeed[];
}

function add(history: GrowingHistory, by: JournalChange["by"], deed: Deed, of: readonly number[]): void {
  const { standing, undone } = history;
  if (by === "step") {
    if (!isUnchanged(deed.was, deed.is)) standing.push(deed);
    return;
  }
  if (!deed.is) return;
  if (by === "undo") {
    const deeds = standing.filter(({ id }) => of.includes(id));
    history.standing = standing.filter((one) => !deeds.includes(one));
    undone.push({ ...deed, deeds });
    return;
  }
  const redone = undone.filter(({ id }) => of.includes(id));
  history.standing = [...standing, ...redone.flatMap(({ deeds }) => deeds)].toSorted((one, other) => one.id - other.id);
  history.undone = undone.filter((one) => !redone.includes(one));
}

/** The effect of an undo on one path, if the path is still as the agent left it. */
export interface PathPlan {
  readonly path: string;
  /** The changes to revert. */
  readonly of: readonly number[];
  readonly steps: readonly number[];
  /** The state that the agent left; absent if it's unknown. */
  readonly expected?: FileState;
  readonly target: FileState;
  /** Why the undo can't be done in any case, as a sentence. */
  readonly obstacle?: Sentence;
}

/** The scope of an undo: a whole run, one step, or all steps after one; optionally only some files. */
export interface UndoRequest {
  readonly step?: number;
  readonly after?: number;
  /** Real paths. */
  readonly paths?: readonly string[];
}

/** Plans an undo of the requested changes of each path, with an obstacle if other changes came between or after. */
export function planUndo(histories: readonly PathHistory[], wanted: UndoRequest): readonly PathPlan[] {
  return histories
    .filter(({ path }) => wanted.paths === undefined || wanted.paths.includes(path))
    .flatMap((history) => planPathUndo(history, (step) => isInUndoScope(wanted, step)) ?? []);
}

/** Whether a step is in the scope of an undo. */
export function isInUndoScope({ step, after }: UndoRequest, candidate: number): boolean {
  return (step === undefined || candidate === step) && (after === undefined || candidate > after);
}

function planPathUndo({ path, standing }: PathHistory, isMeant: (step: number) => boolean): PathPlan | undefined {
  const first = standing.findIndex((deed) => isMeant(deed.step));
  const oldest = standing[first];
  if (!oldest) return undefined;
  const wanted = standing.slice(first).filter((deed) => isMeant(deed.step));
  const later = standing.slice(first).find((deed) => !wanted.includes(deed));
  const between = wanted.some((deed, index) => index > 0 && !isSameState(wanted[index - 1]?.is, deed.was));
  const last = wanted.at(-1);
  const obstacle = later
    ? displayText("trouble.changedByLaterStep", { step: later.step })
    : between
      ? displayText("trouble.changedBetween")
      : undefined;
  return {
    path,
    of: wanted.map(({ id }) => id),
    steps: [...new Set(wanted.map((deed) => deed.step))],
    target: oldest.was,
    ...(last?.is ? { expected: last.is } : {}),
    ...omitUndefined({ obstacle }),
  };
}

/** Plans the redo of the latest undo; empty if there is none. */
export function planRedo(histories: readonly PathHistory[]): readonly PathPlan[] {
  const latest = Math.max(...histories.flatMap(({ undone }) => undone.map(({ id }) => id)));
  return histories.flatMap(({ path, undone }) =>
    undone
      .filter(({ id }) => id === latest)
      .map(({ id, deeds, was, is }) => ({
        path,
        of: [id],
        steps: [...new Set(deeds.map(({ step }) => step))],
        target: was,
        ...omitUndefined({ expected: is }),
      })),
  );
}
