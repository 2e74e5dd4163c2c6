import { Emitter } from "../../core/base/emitter.ts";
import type { FleetEngine, FleetRun } from "../../fleet/engine.ts";
import { fail, getErrorText, type Sentence } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import { type FleetRuns, getMachineName } from "./fleet-runs.ts";

/** How often the places are looked at while a run works in one of them, in ms. */
const LOOK_MS = 60_000;
/** How long a place may take to list its runs. */
const ANSWER_MS = 30_000;

/** A place and its runs, as they were when it was last looked at. */
export interface ListedPlace {
  readonly place: string;
  readonly runs: readonly FleetRun[];
  /** Why it couldn't be looked at. */
  readonly trouble?: Sentence;
}

/** Dependencies of the lists. */
interface ListParts {
  readonly fleet: Pick<FleetRuns, "all" | "isRemoved">;
  /** The places to which the user has sent, with any program. */
  readPlaces(): Promise<readonly string[]>;
  forgetPlace(place: string): Promise<void>;
  createEngine(place: string, folder: string): Promise<FleetEngine>;
  /** True while a run is open in this window, where it's followed. */
  isOpen(run: string): boolean;
  /** False while the window is in the background. */
  isSeen(): boolean;
  /** In ms. */
  getNow(): number;
}

/** The runs in other places, also without an open panel: read once a minute while one works there, otherwise on request and when they're shown. */
export class PlaceLists {
  private readonly parts: ListParts;
  private readonly changes = new Emitter();
  private looking: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private found: readonly ListedPlace[] = [];
  private lookedMs = Number.NEGATIVE_INFINITY;

  constructor(parts: ListParts) {
    this.parts = parts;
  }

  get places(): readonly ListedPlace[] {
    return this.found;
  }

  /** Calls back when something was found to be different. */
  onChange(listener: () => void): { dispose(): void } {
    return { dispose: this.changes.subscribe(listener) };
  }

  /** The runs that wait for the user and that no window of this machine may have open. */
  get waiting(): readonly { readonly run: string; readonly text: string }[] {
    const { fleet, isOpen } = this.parts;
    return this.listRuns()
      .filter(({ id, state }) => state === "waiting" && !isOpen(id) && !fleet.isRemoved(id))
      .map(({ id, task, place }) => ({ run: id, text: t("fleet.waits", { task, machine: getMachineName(place) }) }));
  }

  find(id: string): FleetRun | undefined {
    return this.listRuns().find((run) => run.id === id);
  }

  /** Leaves a place out until the next task is sent to it. */
  async forget(place: string): Promise<void> {
    await this.parts.forgetPlace(place);
    await this.look();
  }

  /** Stops a run that isn't open here. Returns whether it has ended; one that no machine works on ends later. */
  async stop(id: string): Promise<boolean> {
    const { fleet, createEngine } = this.parts;
    const place = fleet.all.find((sent) => sent.id === id)?.place ?? this.find(id)?.place ?? fail("fleet.strangeRun");
    const engine = await createEngine(place, "");
    await engine
      .stop(id, AbortSignal.timeout(ANSWER_MS))
      .catch((error: unknown) => fail("fleet.notStopped", { why: getErrorText(error) }));
    await this.look();
    return this.find(id)?.state === "ended";
  }

  /** Deletes a run that has ended in its place. `folder`: in the repository that it came from. */
  async remove(id: string, place: string, folder: string, signal: AbortSignal): Promise<void> {
    const engine = await this.parts.createEngine(place, folder);
    await engine.remove(id, folder, signal);
  }

  /** Looks at all places now. */
  look(): Promise<void> {
    this.looking ??= this.lookEverywhere().finally(() => {
      this.looking = undefined;
      this.schedule();
    });
    return this.looking;
  }

  /** Looks for a list that comes into view, unless it's less than a minute old: other programs may have sent runs. */
  async lookIfOld(): Promise<void> {
    if (this.parts.getNow() - this.lookedMs >= LOOK_MS) await this.look();
  }

  /** Looks from time to time from now on, until no run works any more. */
  schedule(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (!this.isBusy) return;
    this.timer = setTimeout(() => (this.parts.isSeen() ? void this.look() : this.schedule()), LOOK_MS);
    this.timer.unref();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.changes.clear();
  }

  /** True while a run works that isn't followed here, or whose place couldn't be looked at. */
  private get isBusy(): boolean {
    const { fleet, isOpen } = this.parts;
    const listed = this.listRuns().filter(({ state }) => state !== "ended");
    const active = [...fleet.all.filter(({ isOver }) => !isOver), ...listed];
    const lost = new Set(this.found.flatMap(({ place, trouble }) => (trouble === undefined ? [] : [place])));
    return active.some(({ id, place }) => !isOpen(id) || lost.has(place));
  }

  private listRuns(): readonly FleetRun[] {
    return this.found.flatMap(({ runs }) => runs);
  }

  private async lookEverywhere(): Promise<void> {
    const { fleet, readPlaces, getNow } = this.parts;
    this.lookedMs = getNow();
    const places = new Set([...(await readPlaces()), ...fleet.all.map(({ place }) => place)]);
    const found = await Promise.all([...places].map((place) => this.listPlace(place)));
    if (JSON.stringify(found) === JSON.stringify(this.found)) return;
    this.found = found;
    this.changes.fire();
  }

  private async listPlace(place: string): Promise<ListedPlace> {
    try {
      const engine = await this.parts.createEngine(place, "");
      const runs = await engine.list(AbortSignal.timeout(ANSWER_MS));
      return { place, runs: runs.map((run) => ({ ...run, place })) };
    } catch (error) {
      const { runs = [] } = this.found.find((one) => one.place === place) ?? {};
      return { place, runs, trouble: getErrorText(error) };
    }
  }
}
