import type { RunSummary } from "../runs/store/run-summary.ts";

/** A run and its current activity. */
export interface ListedRun {
  readonly summary: RunSummary;
  /** `finished`, `paused`, …; `open` for an interrupted run; the activity of a running one. */
  readonly state: string;
  readonly goesOn: boolean;
}

/** A run with its forks and sub-agents. */
export interface RunNode extends ListedRun {
  readonly children: readonly RunNode[];
}

export interface RunGroup {
  readonly label: string;
  readonly runs: readonly RunNode[];
}

/** Which runs the tree shows, and how. */
export interface TreeView {
  readonly by: "date" | "state";
  /** Words that a run's title, task or name must contain. */
  readonly words: string;
  readonly only?: StateGroup;
}

export type StateGroup = "In progress" | "Interrupted" | "Finished" | "Ended early";

export const EVERYTHING: TreeView = { by: "date", words: "" };

/** Groups runs, the newest first: running and pinned ones at the top, then by day or state. */
export function groupRuns(all: readonly ListedRun[], view: TreeView, now: Date): readonly RunGroup[] {
  const groups = new Map<string, RunNode[]>([
    ["In progress", []],
    ["Pinned", []],
  ]);
  const shown = all.filter((run) => isShown(run, view));
  for (const node of nested(shown)) {
    const label = labelOf(node, view.by, now);
    groups.set(label, [...(groups.get(label) ?? []), node]);
  }
  return [...groups].flatMap(([label, runs]) => (runs.length > 0 ? [{ label, runs }] : []));
}

/** The group of states that a run belongs to. */
function stateGroup({ state, goesOn }: ListedRun): StateGroup {
  if (goesOn) return "In progress";
  if (state === "finished") return "Finished";
  return state === "open" || state === "paused" ? "Interrupted" : "Ended early";
}

function isShown(run: ListedRun, { words, only }: TreeView): boolean {
  if (only !== undefined && stateGroup(run) !== only) return false;
  const { title = "", task, name } = run.summary;
  const text = `${title} ${task} ${name}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Places runs below their parent if it is in the list. */
function nested(runs: readonly ListedRun[]): readonly RunNode[] {
  const ids = new Set(runs.map(({ summary }) => summary.id));
  const isChild = ({ summary: { parent, id, isAgent } }: ListedRun): boolean =>
    parent !== undefined &&
    parent !== id &&
    ids.has(parent) &&
    (isAgent ? secondOf(parent) <= secondOf(id) : parent < id);
  const byParent = Map.groupBy(runs, (run) => (isChild(run) ? run.summary.parent : undefined));
  const node = (run: ListedRun): RunNode => ({
    ...run,
    children: (byParent.get(run.summary.id) ?? []).map(node),
  });
  return (byParent.get(undefined) ?? []).map(node);
}

/** A sub-agent may start in the same second as its parent. */
function secondOf(id: string): string {
  return id.slice(0, "yyyyMMdd_HHmmss".length);
}

function labelOf(run: ListedRun, by: TreeView["by"], now: Date): string {
  if (run.goesOn) return "In progress";
  if (run.summary.pinned) return "Pinned";
  return by === "state" ? stateGroup(run) : dayOf(run.summary.startedAt, now);
}

const DAY_MS = 86_400_000;

function dayOf(iso: string, now: Date): string {
  const date = new Date(iso);
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (date.getTime() >= midnight) return "Today";
  if (date.getTime() >= midnight - DAY_MS) return "Yesterday";
  return date.toLocaleDateString(undefined, { year: "numeric", month: "long", day: "numeric" });
}
