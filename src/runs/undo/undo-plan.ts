import { type FileState, sameState } from "./file-state.ts";
import type { JournalChange, SettledChange } from "./journal-lines.ts";

/** What a step did to one path, and what has not been undone. */
interface Deed {
  readonly id: number;
  readonly step: number;
  readonly was: FileState;
  /** Unknown after an interruption. */
  readonly is?: FileState;
}

/** An undo of one path that can itself be undone. */
interface UndoDeed extends Deed {
  readonly deeds: readonly Deed[];
}

/** What happened to one path: what stands, and what was undone, oldest first. */
export interface PathHistory {
  readonly path: string;
  readonly standing: readonly Deed[];
  readonly undone: readonly UndoDeed[];
}

/** Reads the journal: of each path that the agent touched what still stands and what was undone. */
export function pathHistories(lines: readonly (JournalChange | SettledChange)[]): readonly PathHistory[] {
  const settled = new Map<string, FileState>();
  for (const line of lines)
    if ("now" in line) for (const { path, is } of line.now) settled.set(`${line.id} ${path}`, is);
  const paths = new Map<string, GrowingHistory>();
  for (const line of lines) {
    if ("now" in line) continue;
    for (const { path, was, of = [] } of line.files) {
      const is = settled.get(`${line.id} ${path}`);
      const deed: Deed = { id: line.id, step: line.step, was, ...(is ? { is } : {}) };
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
    if (!sameState(deed.was, deed.is)) standing.push(deed);
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
  history.standing = [...standing, ...redone.flatMap(({ deeds }) => deeds)].toSorted(
    (one, other) => one.id - other.id,
  );
  history.undone = undone.filter((one) => !redone.includes(one));
}

/** What an undo would do to one path, if that is still as the agent left it. */
export interface PathPlan {
  readonly path: string;
  /** The changes that would be taken back. */
  readonly of: readonly number[];
  readonly steps: readonly number[];
  /** What must be there now; absent when nobody knows what the agent left there. */
  readonly expected?: FileState;
  readonly target: FileState;
  /** Why it cannot be done whatever is there now, as a sentence. */
  readonly obstacle?: string;
}

/** What is to be undone: all of a run, or one step, or all steps after one, or some files of any of these. */
export interface UndoRequest {
  readonly step?: number;
  readonly after?: number;
  /** Real paths. */
  readonly paths?: readonly string[];
}

/** Plans an undo: of each path the wanted changes, if nothing else came between or after. */
export function planUndo(histories: readonly PathHistory[], wanted: UndoRequest): readonly PathPlan[] {
  return histories
    .filter(({ path }) => wanted.paths === undefined || wanted.paths.includes(path))
    .flatMap((history) => undoPlan(history, (step) => concerns(wanted, step)) ?? []);
}

/** Whether a step is among those that are to be undone. */
export function concerns({ step, after }: UndoRequest, candidate: number): boolean {
  return (step === undefined || candidate === step) && (after === undefined || candidate > after);
}

function undoPlan({ path, standing }: PathHistory, isMeant: (step: number) => boolean): PathPlan | undefined {
  const first = standing.findIndex((deed) => isMeant(deed.step));
  const oldest = standing[first];
  if (!oldest) return undefined;
  const wanted = standing.slice(first).filter((deed) => isMeant(deed.step));
  const later = standing.slice(first).find((deed) => !wanted.includes(deed));
  const between = wanted.some((deed, index) => index > 0 && !sameState(wanted[index - 1]?.is, deed.was));
  const last = wanted.at(-1);
  const obstacle = later
    ? `Step ${later.step} changed it too, later. Undo that step first.`
    : between
      ? "Somebody else changed it between two changes of the agent."
      : undefined;
  return {
    path,
    of: wanted.map(({ id }) => id),
    steps: [...new Set(wanted.map((deed) => deed.step))],
    target: oldest.was,
    ...(last?.is ? { expected: last.is } : {}),
    ...(obstacle === undefined ? {} : { obstacle }),
  };
}

/** Plans the undo of the latest undo; empty when there is none. */
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
        ...(is ? { expected: is } : {}),
      })),
  );
}
