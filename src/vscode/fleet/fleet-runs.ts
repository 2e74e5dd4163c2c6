import { appendFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { waitUntilAborted } from "../../core/base/async.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import type { HostedRun, HostedRuns } from "../../editor/panel/hosted-runs.ts";
import type { FleetEngine, FleetRun, FleetSubmission, RaisedLimits } from "../../fleet/engine.ts";
import { createLogFollower } from "../../runs/log/read-log.ts";
import { LOG_FILE } from "../../runs/log/run-log.ts";
import { isRunId } from "../../runs/store/run-folder.ts";
import { type ComposedRun, createReadOnlyRun } from "../../runtime/composed-run.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { DisplayError, displayText, fail } from "../../texts/display-text.ts";
import { createHostedRun } from "../host/run-opener.ts";
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

/** Dependencies of the runs on other machines. */
export interface FleetDependencies {
  readonly runs: HostedRuns;
  /** The editor's own store, which no workspace can write. */
  readonly state: {
    get<Value>(key: string, fallback: Value): Value;
    update(key: string, value: readonly unknown[]): PromiseLike<void>;
  };
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
/** How long a run that was sent is waited for. A fleet may have no free worker for hours. */
const START_MS = 30_000;

/** The runs on other machines that this user has sent: they are followed here, and their results are fetched. */
export class FleetRuns {
  private readonly parts: FleetDependencies;
  private readonly opening = new Map<string, Promise<HostedRun>>();

  constructor(parts: FleetDependencies) {
    this.parts = parts;
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

  /** Sends a task to an opened place, and follows its run. Throws `QueuedRun` if no machine begins with it soon. */
  async send(engine: FleetEngine, submission: FleetSubmission, signal: AbortSignal): Promise<HostedRun> {
    const run = await engine.submit(submission, signal);
    if (!isRunId(run.id)) fail("fleet.strangeRun");
    await this.adopt({ ...run, place: engine.place }, submission.folder);
    return this.open(run.id, signal);
  }

  /** Takes a run up that another program of this user has sent, to be reviewed in a folder. */
  async adopt({ id, place, task, startedAt }: FleetRun, folder: string): Promise<SentRun> {
    const sent = { id, place, task, startedAt, folder };
    await this.parts.state.update(KEY, [...this.all, sent]);
    return sent;
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

  private async change(id: string, change: (sent: SentRun) => readonly SentRun[]): Promise<void> {
    await this.parts.state.update(
      KEY,
      this.all.flatMap((sent) => (sent.id === id ? change(sent) : [sent])),
    );
  }

  private getHome(id: string): string {
    return join(this.parts.folder, id);
  }

  private async begin({ id, place, folder }: SentRun, signal: AbortSignal): Promise<HostedRun> {
    const { runs, createEngine } = this.parts;
    const engine = await createEngine(place, folder);
    const mirror = await openMirror(this.getHome(id));
    const events =
      (await mirror.readLog()) !== ""
        ? await mirror.readNews()
        : await mirror.store(await waitForStart(engine, id, signal));
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

/** A copy of another machine's log, line by line, with its seals. */
interface Mirror {
  readLog(): Promise<string>;
  /** The events that weren't returned before. */
  readNews(): Promise<readonly AgentEvent[]>;
  store(line: string): Promise<readonly AgentEvent[]>;
}

async function openMirror(home: string): Promise<Mirror> {
  const path = join(home, LOG_FILE);
  await mkdir(home, { recursive: true, mode: 0o700 });
  const readLog = (): Promise<string> => readFileText(path).catch(() => "");
  const text = await readLog();
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole !== text) await replaceFile(path, whole, { private: true });
  const readNews = createLogFollower(home);
  return {
    readLog,
    readNews,
    store: async (line) => {
      if (line.includes("\n")) fail("fleet.strangeRun");
      await appendFile(path, `${line}\n`, { mode: 0o600 });
      return readNews();
    },
  };
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
  let why = "";
  for await (const event of engine.watch(id, "", inTime)) {
    if (event.type === "stored") return event.line;
    if (event.type === "connection") why = event.why ?? "";
  }
  signal.throwIfAborted();
  throw new QueuedRun(displayText("fleet.notBegun", { why }));
}

/** The name of a machine or a fleet, for people. */
export function getMachineName(place: string): string {
  return place.replace(/^\w+:(?:\/\/)?/, "");
}
