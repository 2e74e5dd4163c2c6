import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { waitUntilAborted } from "../../core/base/async.ts";
import { Emitter } from "../../core/base/emitter.ts";
import type { HostedRun, HostedRuns } from "../../editor/panel/hosted-runs.ts";
import type { FleetEngine, FleetRun, FleetSubmission, RaisedLimits, SubmittedRun } from "../../fleet/engine.ts";
import { createRunId, isRunId } from "../../runs/store/run-folder.ts";
import { type ComposedRun, createReadOnlyRun } from "../../runtime/composed-run.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { DisplayError, displayText, fail, getErrorText, type Sentence } from "../../texts/display-text.ts";
import { createHostedRun } from "../host/run-opener.ts";
import { openMirror } from "./mirror.ts";
import { MESSAGE_MS, RemoteLiveRun } from "./remote-run.ts";

/** A run that this user has sent to another machine, until its result is here. */
export interface SentRun {
  readonly id: string;
  readonly place: string;
  readonly task: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** The workspace folder that it was sent from. */
  readonly folder: string;
  readonly isOver?: boolean;
}

/** A store of the editor, which no workspace can write. */
interface EditorStore {
  get<Value>(key: string, fallback: Value): Value;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** Dependencies of the runs on other machines. */
export interface FleetDependencies {
  readonly runs: HostedRuns;
  readonly state: EditorStore;
  /** The store of the windows with the same folders. */
  readonly window: EditorStore;
  /** The folder for what is known of each run here. */
  readonly folder: string;
  /** `folder`: in the repository whose runs they are. */
  createEngine(place: string, folder: string): Promise<FleetEngine>;
}

/** No machine has begun with a run that was sent. Its text says why, if that is known. */
export class QueuedRun extends DisplayError {
  override readonly name = "QueuedRun";
}

const KEY = "fleet.runs";
/** The runs that the user has removed from the list, or fetched. */
const REMOVED = "fleet.removed";
const MOST_REMOVED = 500;
/** The run that the window has shown last, if it's on another machine. */
const SHOWN = "fleet.shown";
/** How long the first page waits for that run. */
const SHOWN_MS = 2_000;
/** How long the start of a run may be on its way when its sending is canceled. */
const SETTLE_MS = 1_000;
/** How long a run that was sent is waited for. A fleet may have no free worker for hours. */
const START_MS = 30_000;
/** How long it's waited for once it's known why none begins, which may pass. */
const KNOWN_MS = 5_000;

/** The runs on other machines that this user has sent: they are followed here, and their results are fetched. */
export class FleetRuns {
  private readonly parts: FleetDependencies;
  private readonly opening = new Map<string, Promise<HostedRun>>();
  private readonly changes = new Emitter();
  /** Calls back when a run comes to the list, leaves it, ends or continues. */
  readonly onChange = this.changes.subscribe;

  constructor(parts: FleetDependencies) {
    this.parts = parts;
    parts.runs.onShow((shown) => void parts.window.update(SHOWN, shown?.place ? shown.id : ""));
    parts.runs.onEvent(({ runId, event }) => {
      const isOver = event.type === "over";
      if ((isOver || event.type === "resumed") && this.find(runId))
        void this.change(runId, (sent) => [{ ...sent, isOver }]);
    });
  }

  get all(): readonly SentRun[] {
    return this.parts.state.get<readonly SentRun[]>(KEY, []);
  }

  find(id: string): SentRun | undefined {
    return this.all.find((sent) => sent.id === id);
  }

  /** True for a run that the user has removed from the list, or fetched. */
  isRemoved(id: string): boolean {
    return this.parts.state.get<readonly string[]>(REMOVED, []).includes(id);
  }

  /** Sends a task to an opened place, and follows its run. Throws `QueuedRun` if no machine begins with it soon. One that is canceled is stopped there. */
  async send(engine: FleetEngine, submission: FleetSubmission, signal: AbortSignal): Promise<HostedRun> {
    const id = createRunId("fleet", new Date());
    let sent: SubmittedRun | undefined;
    try {
      sent = await engine.submit({ run: id, ...submission }, signal);
      if (!isRunId(sent.id)) fail("fleet.strangeRun");
      await this.adopt({ ...sent, place: engine.place }, submission.folder);
      const hosted = await this.open(sent.id, signal);
      for (const note of sent.notes ?? []) this.parts.runs.notice(sent.id, note, "warning");
      return hosted;
    } catch (error) {
      if (signal.aborted) await this.takeBack(engine, sent?.id ?? id, sent !== undefined);
      throw error;
    }
  }

  /** Stops a run whose sending was canceled, and leaves it out of the list. `isSent`: it has certainly arrived. */
  private async takeBack(engine: FleetEngine, id: string, isSent: boolean): Promise<void> {
    const stop = (): Promise<void> => engine.stop(id, AbortSignal.timeout(MESSAGE_MS));
    try {
      await stop().catch(() => wait(SETTLE_MS).then(stop));
    } catch (error) {
      if (!isSent) return;
      const machine = getMachineName(engine.place);
      throw new DisplayError(displayText("fleet.notTakenBack", { machine, why: getErrorText(error) }));
    }
    await this.forget(id);
  }

  /** Takes a run up that another program of this user has sent, to be reviewed in a folder. */
  async adopt({ id, place, task, startedAt }: FleetRun, folder: string): Promise<SentRun> {
    const sent = { id, place, task, startedAt, folder };
    await this.store([...this.all, sent]);
    return sent;
  }

  /** Shows the run that the window has shown last, if it's on another machine. */
  async showAgain(): Promise<void> {
    const { runs, window } = this.parts;
    const id = window.get(SHOWN, "");
    if (runs.shown || !this.find(id)) return;
    await this.open(id, AbortSignal.timeout(SHOWN_MS));
    if (!runs.shown) runs.show(id);
  }

  /** Opens a sent run and follows it. Concurrent calls open it once. */
  open(id: string, signal: AbortSignal): Promise<HostedRun> {
    const known = this.parts.runs.get(id);
    if (known) return Promise.resolve(known);
    const opening =
      this.opening.get(id) ??
      this.begin(this.find(id) ?? fail("fleet.strangeRun"), signal).finally(() => this.opening.delete(id));
    this.opening.set(id, opening);
    return opening;
  }

  /** Follows the runs that were sent from these folders and aren't over, so that their questions reach the user. */
  async openAll(folders: readonly string[], signal: AbortSignal): Promise<void> {
    const sent = this.all.filter(({ isOver, folder }) => !isOver && folders.includes(folder));
    await Promise.allSettled(sent.map(({ id }) => this.open(id, signal)));
  }

  /** Fetches a run's log and copy for the ordinary review. */
  async fetch(id: string, signal: AbortSignal): Promise<void> {
    const sent = this.find(id) ?? fail("fleet.strangeRun");
    const engine = await this.parts.createEngine(sent.place, sent.folder);
    const live = this.parts.runs.get(id)?.live;
    if (live instanceof RemoteLiveRun && live.run.state.end) await waitUntilAborted(live.settled, signal);
    await engine.fetch(id, sent.folder, signal);
    await this.forget(id);
  }

  /** Leaves a run out of the list. It continues there. */
  async forget(id: string): Promise<void> {
    await this.change(id, () => []);
    const removed = [...this.parts.state.get<readonly string[]>(REMOVED, []), id].slice(-MOST_REMOVED);
    await this.parts.state.update(REMOVED, removed);
    await rm(this.getHome(id), { recursive: true, force: true });
  }

  /** Leaves the runs of a place out of the list until it's known again. They continue there. */
  async forgetPlace(place: string): Promise<void> {
    const gone = this.all.filter((sent) => sent.place === place);
    await this.store(this.all.filter((sent) => sent.place !== place));
    for (const { id } of gone) {
      await this.parts.runs.remove(id);
      await rm(this.getHome(id), { recursive: true, force: true });
    }
  }

  private async change(id: string, change: (sent: SentRun) => readonly SentRun[]): Promise<void> {
    await this.store(this.all.flatMap((sent) => (sent.id === id ? change(sent) : [sent])));
  }

  private async store(all: readonly SentRun[]): Promise<void> {
    await this.parts.state.update(KEY, all);
    this.changes.fire();
  }

  private getHome(id: string): string {
    return join(this.parts.folder, id);
  }

  private async begin({ id, place, folder }: SentRun, signal: AbortSignal): Promise<HostedRun> {
    const { runs, createEngine } = this.parts;
    const engine = await createEngine(place, folder);
    const mirror = await openMirror(this.getHome(id));
    const events =
      mirror.events.length > 0 ? mirror.events : [await mirror.store(await waitForStart(engine, id, signal))];
    const composed = openMirroredRun(id, folder, { home: this.getHome(id), events });
    const live = new RemoteLiveRun(composed.run, {
      engine,
      readLog: () => mirror.readLog(),
      store: (line) => mirror.store(line),
      reportDelta: (step, delta) => runs.reportDelta(id, step, delta),
      notice: (text) => runs.notice(id, text, "warning"),
    });
    const machine = getMachineName(place);
    const hosted: HostedRun = Object.assign(createHostedRun({ ...composed, live }), {
      place: {
        machine,
        get lost() {
          return live.lost;
        },
        raise: (limits: RaisedLimits) => engine.raise(id, limits, AbortSignal.timeout(MESSAGE_MS)),
      },
      dispose: () => live.suspend(),
    });
    runs.add(hosted);
    if (!hosted.run.state.end) live.resume();
    return hosted;
  }
}

/** A run whose log another machine writes. Throws a sentence if it's the log of another run. */
function openMirroredRun(
  id: string,
  folder: string,
  { home, events }: { readonly home: string; readonly events: readonly AgentEvent[] },
): ComposedRun {
  if (events[0]?.type !== "started") fail("fleet.strangeRun");
  const { readOnly: _, ...composed } = createReadOnlyRun({ id, folder: home, events, older: false }, folder, "");
  return composed.run.state.id === id ? composed : fail("fleet.strangeRun");
}

/** Waits for the first line of a run's log, which is written once the copy is ready there. */
async function waitForStart(engine: FleetEngine, id: string, signal: AbortSignal): Promise<string> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(START_MS)]);
  const known = new AbortController();
  let why: Sentence = "";
  let giveUp: NodeJS.Timeout | undefined;
  for await (const event of engine.watch(id, "", AbortSignal.any([inTime, known.signal]))) {
    if (event.type === "stored") return event.line;
    if (event.type !== "connection") continue;
    why = event.why ?? "";
    clearTimeout(giveUp);
    if (event.isLost) giveUp = setTimeout(() => known.abort(), KNOWN_MS).unref();
  }
  signal.throwIfAborted();
  throw new QueuedRun(displayText("fleet.notBegun", { why }));
}

/** The name of a machine or a fleet, for people. */
export function getMachineName(place: string): string {
  return place.replace(/^\w+:(?:\/\/)?/, "");
}
