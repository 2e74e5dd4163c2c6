import { removeMentionedTexts } from "../../core/base/mentioned-texts.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { convertToSlug } from "../../core/prompt/profile.ts";
import { isWaitingForReview, type RunSummary } from "../../runs/store/run-summary.ts";
import type { RunActivityName, Welcome } from "../../schema/panel-values.ts";
import { getCurrentLanguage, t } from "../../texts/language.ts";

/** A run and its current activity. */
export interface ListedRun {
  readonly summary: RunSummary;
  readonly state: RunActivityName;
  readonly goesOn: boolean;
  /** The name of the other machine or the fleet that it works on. */
  readonly machine?: string;
  /** Its state in words, for a run in another place that isn't open here. */
  readonly word?: string;
}

/** A run with its forks and sub-agents. */
export interface RunNode extends ListedRun {
  readonly children: readonly RunNode[];
}

export interface RunGroup {
  readonly label: string;
  readonly runs: readonly RunNode[];
}

/** The selection and display of runs in the tree. */
export interface TreeView {
  readonly by: "date" | "state";
  /** Words that a run's title, task or name must contain. */
  readonly words: string;
  readonly only?: StateGroup;
}

/** The states to filter by, in order. */
export const STATE_GROUPS = ["progress", "interrupted", "finished", "early"] as const;

export type StateGroup = (typeof STATE_GROUPS)[number];

export const EVERYTHING: TreeView = { by: "date", words: "" };

/** Groups runs, the newest first: running and pinned ones at the top, then by day or state. */
export function groupRuns(all: readonly ListedRun[], view: TreeView, now: Date): readonly RunGroup[] {
  const groups = new Map<string, RunNode[]>([
    [t("runs.group.progress"), []],
    [t("runs.group.fleet"), []],
    [t("runs.group.pinned"), []],
  ]);
  const shown = all.filter((run) => isShown(run, view));
  for (const node of buildRunTree(shown)) {
    const label = getGroupLabel(node, view.by, now);
    groups.set(label, [...(groups.get(label) ?? []), node]);
  }
  return [...groups].flatMap(([label, runs]) => (runs.length > 0 ? [{ label, runs }] : []));
}

/** The group of states that a run belongs to. */
function getStateGroup({ state, goesOn }: ListedRun): StateGroup {
  if (goesOn || state === "elsewhere") return "progress";
  if (state === "finished") return "finished";
  return state === "interrupted" || state === "paused" ? "interrupted" : "early";
}

function isShown(run: ListedRun, { words, only }: TreeView): boolean {
  if (only !== undefined && getStateGroup(run) !== only) return false;
  const { title = "", task, name } = run.summary;
  const text = `${title} ${task} ${name}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Places runs below their parent if it is in the list. */
function buildRunTree(runs: readonly ListedRun[]): readonly RunNode[] {
  const ids = new Set(runs.map(({ summary }) => summary.id));
  const isChild = ({ summary: { parent, id, isAgent } }: ListedRun): boolean =>
    parent !== undefined &&
    parent !== id &&
    ids.has(parent) &&
    (isAgent ? getStartSecond(parent) <= getStartSecond(id) : parent < id);
  const byParent = Map.groupBy(runs, (run) => (isChild(run) ? run.summary.parent : undefined));
  const placed = new Set<ListedRun>();
  const createNode = (run: ListedRun): RunNode => {
    placed.add(run);
    return { ...run, children: (byParent.get(run.summary.id) ?? []).map(createNode) };
  };
  const nodes = (byParent.get(undefined) ?? []).map(createNode);
  // Damaged logs may name each other as parents.
  const others = runs.filter((run) => !placed.has(run)).map((run) => ({ ...run, children: [] }));
  return [...nodes, ...others];
}

/** A sub-agent may start in the same second as its parent. */
function getStartSecond(id: string): string {
  return id.slice(0, "yyyyMMdd_HHmmss".length);
}

function getGroupLabel(run: ListedRun, by: TreeView["by"], now: Date): string {
  if (run.machine !== undefined) return t("runs.group.fleet");
  if (run.goesOn) return t("runs.group.progress");
  if (run.summary.pinned) return t("runs.group.pinned");
  return by === "state" ? t(`runs.group.${getStateGroup(run)}`) : formatDay(run.summary.startedAt, now);
}

const DAY_MS = 86_400_000;

function formatDay(iso: string, now: Date): string {
  const date = new Date(iso);
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (date.getTime() >= midnight) return t("runs.group.today");
  if (date.getTime() >= midnight - DAY_MS) return t("runs.group.yesterday");
  return date.toLocaleDateString(getCurrentLanguage().tag, {
    year: "numeric",
    month: "long",
    day: "numeric",
  });
}

/** Runs to pick one from, the newest first: the shown run before all others, and sub-agents' runs after them. */
export function orderForPick(runs: readonly RunSummary[], shown: string | undefined): readonly RunSummary[] {
  const rank = ({ id, isAgent }: RunSummary): number => (id === shown ? 0 : isAgent ? 2 : 1);
  return runs.toSorted((one, other) => rank(one) - rank(other));
}

/** Names that Windows keeps for devices, whatever their extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** A name for a file with a run, after its title. A title without Latin letters gives the run's id. */
export function createFileName(title: string, id: string): string {
  const name = convertToSlug(title, id);
  return DEVICE.test(name) ? id : name;
}

/** A name for a branch with a run's changes. */
export function createBranchName(title: string, id: string): string {
  return `autogpt/${convertToSlug(title, "run")}-${id.slice(-RANDOM_LENGTH)}`;
}

/** The number of random characters at the end of a run's id. */
const RANDOM_LENGTH = 4;

const MAX_RUNS = 4;
const MAX_TASK = 4_000;

/** The user's last runs for the start page, newest first, without repeating a task. */
export function selectLastRuns(runs: readonly RunSummary[]): NonNullable<Welcome["lastRuns"]> {
  const own = runs
    .map((run) => ({ ...run, task: removeMentionedTexts(run.task) }))
    .filter(({ isAgent, task }) => !isAgent && task.trim() !== "")
    .toSorted((one, other) => other.startedAt.localeCompare(one.startedAt));
  const seen = new Set<string>();
  const distinct = own.filter(({ task }) => !seen.has(task) && seen.add(task));
  return distinct.slice(0, MAX_RUNS).map((run) => ({
    id: run.id,
    task: run.task.slice(0, MAX_TASK),
    title: run.title ?? run.task.split("\n", 1)[0] ?? "",
    state: run.state,
    ...omitUndefined({ toReview: isWaitingForReview(run) || undefined }),
  }));
}
