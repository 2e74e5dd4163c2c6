import type { Change, Settled } from "./change.ts";
import { type FileState, sameState } from "./file-state.ts";

/** What a step did to one path, and what has not been undone. */
interface Deed {
  readonly id: number;
  readonly step: number;
  readonly was: FileState;
  /** Unknown after an interruption. */
  readonly is?: FileState;
}

/** An undo of one path that can itself be undone. */
interface Undoing extends Deed {
  readonly deeds: readonly Deed[];
}

/** What happened to one path: what stands, and what was undone, oldest first. */
export interface PathHistory {
  readonly path: string;
  readonly standing: readonly Deed[];
  readonly undone: readonly Undoing[];
}

/** Reads the journal: of each path that the agent touched what still stands and what was undone. */
export function historyOf(lines: readonly (Change | Settled)[]): readonly PathHistory[] {
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
  undone: Undoing[];
}

function add(history: GrowingHistory, by: Change["by"], deed: Deed, of: readonly number[]): void {
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
