import * as vscode from "vscode";
import type { HostedRuns } from "../../editor/panel/hosted-runs.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import {
  EVERYTHING,
  groupRuns,
  type ListedRun,
  orderForPick,
  type RunGroup,
  type RunNode,
  type TreeView,
} from "../../editor/panel/run-groups.ts";
import { getActivity, getStoredActivity } from "../../editor/panel/run-status.ts";
import { isWaitingForReview, type RunSummary } from "../../runs/store/run-summary.ts";
import type { Action } from "../../schema/actions.ts";
import type { RunActivityName } from "../../schema/panel-values.ts";
import { fail } from "../../texts/display-text.ts";
import { formatUsd, getCurrentLanguage, t, write } from "../../texts/language.ts";
import { type KnownFleet, listFleetRuns } from "../fleet/fleet-group.ts";
import { getMachineName } from "../fleet/fleet-runs.ts";
import type { ListedPlace } from "../fleet/place-lists.ts";
import type { RunLibrary } from "../host/run-library.ts";

const ICON: Readonly<Record<RunActivityName, string>> = {
  finished: "pass",
  exhausted: "credit-card",
  stuck: "question",
  failed: "error",
  crashed: "error",
  stopped: "debug-stop",
  paused: "debug-pause",
  interrupted: "debug-disconnect",
  elsewhere: "eye",
  thinking: "loading~spin",
  acting: "loading~spin",
  approval: "bell-dot",
  question: "bell-dot",
  disk: "warning",
};

/** A run in the tree, passed as the argument to the actions of its menus. */
export class RunItem extends vscode.TreeItem {
  readonly runId: string;
  readonly children: readonly RunItem[];

  constructor({ summary, state, children, machine, word = t(`header.state.${state}`) }: RunNode) {
    super(formatDisplayLine(summary.title ?? summary.task) || summary.id);
    this.runId = summary.id;
    this.id = summary.id;
    this.children = children.map((child) => new RunItem(child));
    if (children.length > 0) this.collapsibleState = vscode.TreeItemCollapsibleState.Expanded;
    const cost = formatUsd(summary.usd);
    const steps = t("common.steps", { count: summary.steps });
    const kind = summary.isAgent ? t("runs.tree.agent") : summary.parent === undefined ? "" : t("runs.tree.fork");
    const isToReview = isWaitingForReview(summary);
    const isolated = summary.isolated === undefined ? "" : t(isToReview ? "runs.toReview" : "runs.tree.isolated");
    const where = machine === undefined ? "" : t("fleet.on", { machine: formatDisplayLine(machine) });
    this.description = [kind, isolated, where, word, steps, summary.unpriced && summary.usd === 0 ? "" : cost]
      .filter((part) => part !== "")
      .join(" · ");
    const started = new Date(summary.startedAt).toLocaleString(getCurrentLanguage().tag);
    const remarks = [
      started,
      word,
      isToReview ? isolated : formatIsolation(summary),
      formatUnknownEvents(summary),
      write(summary.readOnly ?? ""),
    ];
    this.tooltip = [
      formatDisplayLine(t("runs.tree.task", { name: summary.name, task: summary.task })),
      formatDisplayLine(remarks.filter((part) => part !== "").join(" · ")),
    ].join("\n");
    this.iconPath = new vscode.ThemeIcon(isToReview ? ICON.approval : ICON[state]);
    const ofRun = `run${summary.readOnly === undefined ? "" : ".readOnly"}${state === "elsewhere" ? ".elsewhere" : ""}${summary.pinned ? ".pinned" : ""}`;
    this.contextValue = machine === undefined ? ofRun : `fleetRun${summary.state === "open" ? ".active" : ""}`;
    this.command = { command: "autogpt.openRun", title: t("runs.tree.open"), arguments: [this] };
    this.accessibilityInformation = {
      label: [`${this.label}`, kind, isolated, where, word, steps].filter((part) => part !== "").join(", "),
    };
  }
}

/** Describes that the run works in a copy, and the outcome of its changes. */
function formatIsolation({ isolated }: RunSummary): string {
  return isolated === undefined ? "" : t(`runs.tree.isolated.${isolated}`);
}

/** Reports events in the log that only a newer version understands. */
function formatUnknownEvents({ unknownEvents = 0 }: RunSummary): string {
  return unknownEvents === 0 ? "" : t("runs.tree.unknownEvents", { count: unknownEvents });
}

/** A group of runs: a day, a state, or another common property. */
class GroupItem extends vscode.TreeItem {
  readonly children: readonly (RunItem | PlaceItem)[];

  constructor({ label, runs }: RunGroup, open: boolean, places: readonly PlaceItem[] = []) {
    super(label, open ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed);
    this.id = `group:${label}`;
    this.children = [...runs.map((run) => new RunItem(run)), ...places];
    this.contextValue = label === t("runs.group.fleet") ? "group.fleet" : "group";
  }
}

/** A place without a run, or one that can't be reached. A click looks again. */
export class PlaceItem extends vscode.TreeItem {
  readonly place: string;
  readonly children: readonly RunItem[] = [];

  constructor({ place, trouble }: ListedPlace) {
    const machine = formatDisplayLine(getMachineName(place));
    super(t(trouble === undefined ? "fleet.noRuns" : "fleet.notReached", { machine }));
    this.place = place;
    this.id = `place:${place}`;
    this.description = trouble === undefined ? "" : formatDisplayLine(write(trouble));
    this.tooltip = trouble === undefined ? `${this.label}` : write(trouble);
    this.iconPath = new vscode.ThemeIcon(trouble === undefined ? "info" : "warning");
    this.accessibilityInformation = {
      label: [`${this.label}`, this.description].filter((part) => part !== "").join(": "),
    };
    this.contextValue = "fleetPlace";
    this.command = { command: "autogpt.refreshFleet", title: t("fleet.lookAgain") };
  }
}

type TopItem = GroupItem | PlaceholderItem;

/** A row without a run: a remark or an action. */
class PlaceholderItem extends vscode.TreeItem {
  readonly children: readonly RunItem[] = [];

  constructor(label: string, icon: string, action?: Action) {
    super(label);
    this.iconPath = new vscode.ThemeIcon(icon);
    if (action) this.command = { command: `autogpt.${action}`, title: label };
  }
}

/** Rows for an empty list. They aren't a welcome view, because some hosts never replace a welcome view with the tree. */
function createPlaceholders(isFiltered: boolean): readonly PlaceholderItem[] {
  if (isFiltered)
    return [
      new PlaceholderItem(t("runs.tree.noMatch"), "info"),
      new PlaceholderItem(t("runs.tree.showAll"), "clear-all", "clearRunFilter"),
    ];
  return [
    new PlaceholderItem(t("runs.tree.empty"), "info"),
    new PlaceholderItem(t("runs.tree.start"), "add", "startAgent"),
    new PlaceholderItem(t("runs.tree.demo"), "beaker", "tryDemo"),
  ];
}

/** The tree of runs. Each group contains its runs with their forks and sub-agents. */
export class RunsTree {
  private readonly runs: HostedRuns;
  private readonly library: Pick<RunLibrary, "list">;
  private readonly fleet: KnownFleet;
  private changed: (() => void) | undefined;
  private timer: NodeJS.Timeout | undefined;
  private shown: TreeView = EVERYTHING;
  /** True while the list is unfolded in its view, so that the start page needs no list of its own. */
  isOnShow = false;
  private readAhead: readonly TopItem[] | undefined;
  /** True if VS Code was notified of a change and hasn't requested the items yet. It may wait until the tree is visible. */
  private told = false;
  private changedSince = false;
  /** Everything visible of the current items. */
  private looks = "";

  constructor(runs: HostedRuns, library: Pick<RunLibrary, "list">, fleet: KnownFleet) {
    this.runs = runs;
    this.library = library;
    this.fleet = fleet;
    runs.onEvent(({ event }) => event.type !== "planned" && this.scheduleRefresh());
    runs.onChange(() => this.scheduleRefresh());
    runs.onShow(() => this.scheduleRefresh());
  }

  /** The current filter and grouping. */
  get view(): TreeView {
    return this.shown;
  }

  show(view: TreeView): void {
    this.shown = view;
    void vscode.commands.executeCommand("setContext", "autogpt.runsFiltered", isFiltered(view));
    this.refresh();
  }

  /**
   * Refreshes the tree if its display has changed. Waits while a refresh is pending, because until VS Code has the new items, its buttons
   * refer to none.
   */
  refresh(): void {
    if (this.told) this.changedSince = true;
    else if (this.changed) void this.tell(this.changed);
  }

  private async tell(changed: () => void): Promise<void> {
    const groups = await this.read().catch(() => undefined);
    if (groups && serializeLooks(groups) === this.looks) return;
    if (this.told) {
      this.changedSince = true;
      return;
    }
    this.told = true;
    this.readAhead = groups;
    changed();
  }

  /**
   * The children of an item, or the top-level items. Calls `changed` when they should be requested again, but only after reading them.
   * Otherwise VS Code would show groups without runs.
   */
  async listItems(item: vscode.TreeItem | undefined, changed: () => void): Promise<vscode.TreeItem[]> {
    this.changed = changed;
    if (item instanceof GroupItem || item instanceof RunItem) return [...item.children];
    if (item) return [];
    const ahead = this.changedSince ? undefined : this.readAhead;
    this.readAhead = undefined;
    this.changedSince = false;
    this.told = true;
    try {
      const groups = ahead ?? (await this.readVisibly());
      this.looks = serializeLooks(groups);
      return [...groups];
    } finally {
      this.told = false;
      if (this.changedSince) this.scheduleRefresh();
    }
  }

  /** Reads the runs; the first time, which reads every log, with VS Code's progress bar in the view. */
  private async readVisibly(): Promise<readonly TopItem[]> {
    const reading = this.read();
    const settled = Promise.allSettled([reading]);
    if (this.looks === "") void vscode.window.withProgress({ location: { viewId: "autogpt.runs" } }, () => settled);
    return reading;
  }

  private async read(): Promise<readonly TopItem[]> {
    const listed = (await this.library.list()).map((summary): ListedRun => {
      const hosted = this.runs.get(summary.id);
      const goesOn = hosted?.live?.running === true;
      return {
        summary,
        goesOn,
        state: hosted && goesOn ? getActivity(hosted) : getStoredActivity(summary),
      };
    });
    const sent = listFleetRuns(this.fleet, this.runs, new Set(listed.map(({ summary }) => summary.id)));
    const groups = groupRuns([...sent, ...listed], this.shown, new Date());
    const label = t("runs.group.fleet");
    const places = this.listPlaces(sent);
    const items = groups.map(
      (group, index) =>
        new GroupItem(
          group,
          index < OPEN_GROUPS || this.shown.by === "state",
          group.label === label ? places : undefined,
        ),
    );
    const isAlone = places.length > 0 && !groups.some((group) => group.label === label);
    const all = isAlone ? [...items, new GroupItem({ label, runs: [] }, false, places)] : items;
    return items.length === 0 ? [...createPlaceholders(isFiltered(this.shown)), ...all] : all;
  }

  /** The places that have no row of a run to speak for them. */
  private listPlaces(sent: readonly ListedRun[]): readonly PlaceItem[] {
    if (isFiltered(this.shown)) return [];
    const named = new Set(sent.map(({ machine }) => machine));
    return this.fleet.lists.places
      .filter(({ place, trouble }) => trouble !== undefined || !named.has(getMachineName(place)))
      .map((place) => new PlaceItem(place));
  }

  private scheduleRefresh(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.refresh();
    }, REFRESH_MS);
  }
}

function isFiltered({ words, only }: TreeView): boolean {
  return words !== "" || only !== undefined;
}

/** Serializes everything visible in items and their children. */
function serializeLooks(items: readonly (TopItem | RunItem | PlaceItem)[]): string {
  const selectVisible = ({
    id,
    label,
    description,
    tooltip,
    iconPath,
    contextValue,
    children,
  }: TopItem | RunItem | PlaceItem): unknown => [
    id,
    label,
    description,
    tooltip,
    iconPath,
    contextValue,
    children.map(selectVisible),
  ];
  return JSON.stringify(items.map(selectVisible));
}

/** Number of day groups that are expanded at first. */
const OPEN_GROUPS = 3;
/** Refresh interval during a busy run, in milliseconds. */
const REFRESH_MS = 300;

/** Dependencies of a choice of a run. */
export interface PickDependencies {
  readonly library: RunLibrary;
  readonly runs: Pick<HostedRuns, "shown">;
}

/** The id of the run for an action: a tree item, an id, or the user's pick among those `offered`; undefined for none. */
export async function pickRun(
  { library, runs }: PickDependencies,
  given: unknown,
  title: string,
  offered: (run: RunSummary) => boolean = () => true,
): Promise<string | undefined> {
  if (given instanceof RunItem) return given.runId;
  if (typeof given === "string") return given;
  const items = orderForPick((await library.list()).filter(offered), runs.shown?.id).map((run) => ({
    label: formatDisplayLine(run.title ?? run.task) || run.id,
    description: [
      ...(run.id === runs.shown?.id ? [t("runs.tree.shown")] : []),
      ...(run.isAgent ? [t("runs.tree.agent")] : []),
      t(`header.state.${getStoredActivity(run)}`),
      new Date(run.startedAt).toLocaleString(getCurrentLanguage().tag),
    ].join(" · "),
    id: run.id,
  }));
  if (items.length === 0) fail("runs.tree.noneFor", { action: title });
  return (await vscode.window.showQuickPick(items, { title, placeHolder: t("runs.tree.whichRun") }))?.id;
}
