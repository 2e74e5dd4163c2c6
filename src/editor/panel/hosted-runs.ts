import { Emitter } from "../../core/base/emitter.ts";
import type { ModelDelta } from "../../core/ports/model.ts";
import type { ComposedRun } from "../../runtime/composed-run.ts";
import type { AgentEvent } from "../../schema/events.ts";
import type { Limits } from "../../schema/run-values.ts";
import type { UnsentOfRun } from "../../schema/saved-panel.ts";
import { addSentence, type Sentence } from "../../texts/display-text.ts";
import type { SideEvents } from "./side-events.ts";

/** A run that this window has open: one that can continue, or a stored one to look at. */
export interface HostedRun extends ComposedRun {
  /** Its latest events that belong to no step. */
  readonly sideEvents: SideEvents;
  /** The user's own name for it. */
  title?: string;
  /** True while its profile is being drafted during the first step. */
  isDrafting?: true;
  /** Another process asked for it or took it, so it has to be opened again. */
  handedOver?: "asked" | "lost";
  /** The other machine that it works on; absent for a run of this one. */
  readonly place?: RunPlace;
  /** Text that the user has typed for it and not sent. */
  unsent?: UnsentOfRun;
  /** Text that was typed in the window that handed it over; removed once the panel has it. Empty in the window that did. */
  unsentElsewhere?: UnsentOfRun;
}

/** Another machine with a run. */
interface RunPlace {
  readonly machine: string;
  /** Why there's no connection to it now, as a sentence. */
  readonly lost: Sentence | undefined;
  /** Changes its limits there. One that has used up a limit continues. */
  raise(limits: Partial<Limits>): Promise<void>;
}

/** An event of an open run. */
export interface RunEvent {
  readonly runId: string;
  readonly event: AgentEvent;
}

type Listener<T> = (value: T) => unknown;

/** Emits news in the window. If a listener throws, the error is reported, and the run and other listeners continue. */
class WindowEmitter<T> {
  private readonly emitter = new Emitter<[T]>();

  readonly subscribe = (listener: Listener<T>): { dispose(): void } => ({
    dispose: this.emitter.subscribe(listener),
  });

  fire(value: T): void {
    try {
      this.emitter.fire(value);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  dispose(): void {
    this.emitter.clear();
  }
}

/** The runs that this window has open, with the shown one and their events. */
export class HostedRuns {
  private readonly runs = new Map<string, HostedRun>();
  private shownId: string | undefined;
  private stepShown: number | undefined;
  private readonly events = new WindowEmitter<RunEvent>();
  private readonly deltas = new WindowEmitter<{
    readonly runId: string;
    readonly step: number;
    readonly delta: ModelDelta;
  }>();
  private readonly restarts = new WindowEmitter<{ readonly runId: string; readonly step: number }>();
  private readonly outputs = new WindowEmitter<{
    readonly runId: string;
    readonly step: number;
    readonly chunk: string;
  }>();
  private readonly notices = new WindowEmitter<{
    readonly runId: string;
    readonly text: Sentence;
    readonly kind: "info" | "warning";
  }>();
  /** Warnings about each run that the user hasn't closed. */
  private readonly warnings = new Map<string, readonly Sentence[]>();
  private readonly changes = new WindowEmitter<HostedRun>();
  private readonly shows = new WindowEmitter<HostedRun | undefined>();

  readonly onEvent = this.events.subscribe;
  readonly onDelta = this.deltas.subscribe;
  readonly onRestart = this.restarts.subscribe;
  readonly onOutput = this.outputs.subscribe;
  readonly onNotice = this.notices.subscribe;
  /** Fires when a pending decision, a problem, a grant, a background process or the drafting of a run's profile changes. */
  readonly onChange = this.changes.subscribe;
  readonly onShow = this.shows.subscribe;

  get shown(): HostedRun | undefined {
    return this.shownId === undefined ? undefined : this.runs.get(this.shownId);
  }

  /** The last visible step of the displayed run; undefined if all are visible. */
  get shownStep(): number | undefined {
    return this.stepShown;
  }

  get all(): readonly HostedRun[] {
    return [...this.runs.values()];
  }

  get(id: string): HostedRun | undefined {
    return this.runs.get(id);
  }

  add(hosted: HostedRun): void {
    this.runs.set(hosted.id, hosted);
    hosted.run.onEvent((event) => this.events.fire({ runId: hosted.id, event }));
    hosted.live?.onPending(() => this.changes.fire(hosted));
    hosted.grants?.onChange(() => this.changes.fire(hosted));
    hosted.processes?.onChange(() => this.changes.fire(hosted));
  }

  /** Sets or removes the user's name for an open run. */
  rename(id: string, title: string | undefined): void {
    const hosted = this.runs.get(id);
    if (!hosted || hosted.title === title) return;
    if (title === undefined) delete hosted.title;
    else hosted.title = title;
    this.changes.fire(hosted);
  }

  /** Drafts the profile of an open run, and marks the run as drafting meanwhile. */
  async draft(hosted: HostedRun, drafting: () => Promise<void>): Promise<void> {
    hosted.isDrafting = true;
    this.changes.fire(hosted);
    try {
      await drafting();
    } finally {
      delete hosted.isDrafting;
      this.changes.fire(hosted);
    }
  }

  /** Shows a run, or none; with `step`, as it was after that step. */
  show(id: string | undefined, step?: number): void {
    this.shownId = id;
    this.stepShown = step;
    this.shows.fire(this.shown);
  }

  /** Replaces an open run by the same one, opened again. */
  replace(hosted: HostedRun): void {
    const before = this.runs.get(hosted.id);
    if (before?.title !== undefined) hosted.title = before.title;
    if (before?.unsent) hosted.unsent = before.unsent;
    // A text that was handed over and isn't shown yet: only the first opening has got it.
    if (before?.unsentElsewhere) hosted.unsentElsewhere ??= before.unsentElsewhere;
    this.add(hosted);
    if (this.shownId === hosted.id) this.shows.fire(hosted);
    this.changes.fire(hosted);
    void before?.dispose().catch(() => undefined);
  }

  async remove(id: string): Promise<void> {
    const hosted = this.runs.get(id);
    if (!hosted) return;
    await (hosted.place ? hosted.live?.suspend() : hosted.live?.stop());
    this.runs.delete(id);
    this.warnings.delete(id);
    if (this.shownId === id) this.show(undefined);
    await hosted.dispose();
  }

  reportDelta(runId: string, step: number, delta: ModelDelta): void {
    this.deltas.fire({ runId, step, delta });
  }

  /** Discards the text streamed for a step. */
  reportRestart(runId: string, step: number): void {
    this.restarts.fire({ runId, step });
  }

  reportOutput(runId: string, step: number, chunk: string): void {
    this.outputs.fire({ runId, step, chunk });
  }

  /** Shows a notice about a run. Warnings are stored for pages that open later. */
  notice(runId: string, text: Sentence, kind: "info" | "warning" = "info"): void {
    if (kind === "warning") this.warnings.set(runId, addSentence(this.listWarnings(runId), text));
    this.notices.fire({ runId, text, kind });
  }

  /** The warnings about a run, the newest last. */
  listWarnings(runId: string): readonly Sentence[] {
    return this.warnings.get(runId) ?? [];
  }

  closeWarnings(runId: string): void {
    this.warnings.delete(runId);
  }

  dispose(): void {
    for (const emitter of [
      this.events,
      this.deltas,
      this.restarts,
      this.outputs,
      this.notices,
      this.changes,
      this.shows,
    ])
      emitter.dispose();
  }
}

/** Finds the open run for an action's argument: an id, or a tree item. */
export function findRunByArgument(runs: HostedRuns, given: unknown): HostedRun | undefined {
  if (typeof given === "string") return runs.get(given);
  if (typeof given !== "object" || given === null || !("runId" in given)) return undefined;
  return typeof given.runId === "string" ? runs.get(given.runId) : undefined;
}
