import * as vscode from "vscode";
import type { ModelDelta } from "../../core/ports/model.ts";
import type { SideEvents } from "../../panel/side-events.ts";
import type { ComposedRun } from "../../runtime/composed-run.ts";
import type { AgentEvent } from "../../schema/events.ts";

/** A run that this window has open: one that can go on, or a stored one to look at. */
export interface HostedRun extends ComposedRun {
  /** Its latest events that belong to no step. */
  readonly sideEvents: SideEvents;
}

export interface RunEvent {
  readonly runId: string;
  readonly event: AgentEvent;
}

/** The runs this window has open, which of them is shown, and what happens in them. */
export class HostedRuns implements vscode.Disposable {
  private readonly runs = new Map<string, HostedRun>();
  private shownId: string | undefined;
  private stepShown: number | undefined;
  private readonly events = new vscode.EventEmitter<RunEvent>();
  private readonly deltas = new vscode.EventEmitter<{
    readonly runId: string;
    readonly step: number;
    readonly delta: ModelDelta;
  }>();
  private readonly restarts = new vscode.EventEmitter<{ readonly runId: string; readonly step: number }>();
  private readonly outputs = new vscode.EventEmitter<{
    readonly runId: string;
    readonly step: number;
    readonly chunk: string;
  }>();
  private readonly notices = new vscode.EventEmitter<{ readonly runId: string; readonly text: string }>();
  private readonly changes = new vscode.EventEmitter<HostedRun>();
  private readonly shows = new vscode.EventEmitter<HostedRun | undefined>();

  readonly onEvent = this.events.event;
  readonly onDelta = this.deltas.event;
  readonly onRestart = this.restarts.event;
  readonly onOutput = this.outputs.event;
  readonly onNotice = this.notices.event;
  /** What waits for the user, what hinders a run, or what is granted, has changed. */
  readonly onChange = this.changes.event;
  readonly onShow = this.shows.event;

  get shown(): HostedRun | undefined {
    return this.shownId === undefined ? undefined : this.runs.get(this.shownId);
  }

  /** The last step on view of the shown run; undefined: all of it. */
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

  /** Shows a run, or none; with `step` as it stood after that step. */
  show(id: string | undefined, step?: number): void {
    this.shownId = id;
    this.stepShown = step;
    this.shows.fire(this.shown);
  }

  async remove(id: string): Promise<void> {
    const hosted = this.runs.get(id);
    if (!hosted) return;
    await hosted.live?.stop();
    this.runs.delete(id);
    if (this.shownId === id) this.show(undefined);
    await hosted.dispose();
  }

  delta(runId: string, step: number, delta: ModelDelta): void {
    this.deltas.fire({ runId, step, delta });
  }

  /** What streamed of a step is void. */
  restarted(runId: string, step: number): void {
    this.restarts.fire({ runId, step });
  }

  output(runId: string, step: number, chunk: string): void {
    this.outputs.fire({ runId, step, chunk });
  }

  notice(runId: string, text: string): void {
    this.notices.fire({ runId, text });
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

/** The open run that an action was given, by its id or as an item of the tree; undefined when none was. */
export function runArgument(runs: HostedRuns, given: unknown): HostedRun | undefined {
  if (typeof given === "string") return runs.get(given);
  if (typeof given !== "object" || given === null || !("runId" in given)) return undefined;
  return typeof given.runId === "string" ? runs.get(given.runId) : undefined;
}
