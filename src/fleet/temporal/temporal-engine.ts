import { setTimeout as wait } from "node:timers/promises";
import type { Client, WorkflowExecutionInfo } from "@temporalio/client";
import { getErrorMessage } from "../../core/base/errors.ts";
import { tryJson } from "../../core/base/json.ts";
import { findRemoteAddress } from "../../node/git/author.ts";
import { findCarriedRun } from "../../runs/store/fleet-marks.ts";
import type { FleetOrderText } from "../../schema/fleet/orders.ts";
import type { ServedRequest } from "../../schema/fleet/served.ts";
import { isFleetOrder } from "../../schema/host-validators.ts";
import { DisplayError, fail } from "../../texts/display-text.ts";
import { readCarriedLog } from "../carry.ts";
import { CarryingEngine, checkRunId, type EngineOptions, type HandedRun } from "../carrying-engine.ts";
import type { FleetEvent, FleetRun } from "../engine.ts";
import { forgetRun } from "../forget-run.ts";
import type { CarryPlace } from "../run-ref.ts";
import { waitToRetry } from "../waiting.ts";
import { parseTemporalAddress, removeUser, type TemporalAddress } from "./address.ts";
import { BeatReader } from "./beat-reader.ts";
import { connectToTemporal, getTaskQueue, WORKFLOW } from "./connection.ts";
import { explainFailure } from "./failures.ts";
import { QueueView, WorkflowView } from "./workflow-view.ts";

/** How often a watched run is looked at, in ms. */
const LOOK_MS = 150;
/** Workers in a row that a run may lose. */
const LIVES = 6;
/** How often a run that waits for an answer is looked at, in ms. */
const QUIET_LOOK_MS = 1_000;
/** How long an answer may take to show, in ms. */
const ANSWERED_MS = 20_000;
/** How often the worker of a run hears that it is watched, in ms: each time is a signal in the run's history. */
const ANNOUNCED_MS = 480_000;
/** How often the carried log is read for news that were missed, in ms: the repository may be a hosted one. */
const MISSED_MS = 3_000;
const LISTED_AT_ONCE = 20;
/** The longest pause between tries to reach the server, in ms: it may be back within seconds. */
const MOST_PAUSE_MS = 10_000;

/** Dependencies of the engine. */
interface TemporalEngineOptions extends EngineOptions {
  readonly client: Client;
  /** The address as the user wrote it. */
  readonly place: string;
  /** Finds the address of the repository through which new runs travel. */
  findRepository(): Promise<string>;
  /** A folder in the repository on this machine. */
  readonly folder: string;
}

/** Runs that a Temporal server hands out to workers. The server sees IDs, times and states; the bytes of a run travel through git. */
export class TemporalEngine extends CarryingEngine {
  protected readonly host: string;
  private readonly options: TemporalEngineOptions;
  private readonly client: Client;
  private readonly address: TemporalAddress;
  /** When this machine sent something to a run. */
  private readonly sentMs = new Map<string, number>();
  /** Runs that have ended, by the names of their workflows' executions. */
  private readonly ended = new Map<string, FleetRun>();
  private readonly queue: QueueView;

  constructor(options: TemporalEngineOptions) {
    super(options.place, options);
    this.options = options;
    this.client = options.client;
    this.address = parseTemporalAddress(options.place);
    this.host = this.address.host;
    this.queue = new QueueView(options.client, options.place, getTaskQueue(options.key));
  }

  protected async begin({ run, task, startedAt, isAgain }: HandedRun, { remote }: CarryPlace): Promise<void> {
    const order = { version: 1, run, repository: removeUser(remote?.address ?? ""), task, startedAt } as const;
    const start = { ...this.createStart(order), workflowIdReusePolicy: "REJECT_DUPLICATE" } as const;
    await this.client.workflow.start(WORKFLOW, start).catch((error: unknown) => {
      if (!isAgain || !isStarted(error)) throw explainFailure(error, this.address);
    });
  }

  async list(): Promise<readonly FleetRun[]> {
    const query = `TaskQueue = '${getTaskQueue(this.options.key)}'`;
    const runs = new Map<string, { readonly order: FleetOrderText; readonly execution: string }>();
    try {
      for await (const info of this.client.workflow.list({ query })) {
        const order = this.readOrder(info, info.workflowId);
        if (order && !runs.has(order.run)) runs.set(order.run, { order, execution: info.runId });
      }
    } catch (error) {
      throw explainFailure(error, this.address);
    }
    const seen: FleetRun[] = [];
    const all = [...runs.values()];
    for (let at = 0; at < all.length; at += LISTED_AT_ONCE) {
      const group = all.slice(at, at + LISTED_AT_ONCE);
      const described = await Promise.all(
        group.map(({ order, execution }) => this.ended.get(execution) ?? this.describeRun(order, execution)),
      );
      seen.push(...described.flatMap((run) => run ?? []));
    }
    return seen;
  }

  override async find(run: string): Promise<FleetRun | undefined> {
    const found = await this.describe(run);
    const order = found && this.readOrder(found, run);
    return order && this.describeRun(order, found.runId);
  }

  /** Undefined for a run that was removed, which the server lists for a while. */
  private async describeRun(
    { run: id, task, startedAt }: FleetOrderText,
    execution: string,
  ): Promise<FleetRun | undefined> {
    const seen = await new WorkflowView(this.client, id)
      .look()
      .catch((error: unknown) => (isGone(error) ? undefined : Promise.reject(explainFailure(error, this.address))));
    if (!seen) return undefined;
    const { state, beat } = seen;
    const run: FleetRun = { place: this.place, id, task, startedAt, state, steps: beat?.steps ?? 0 };
    if (state === "ended") this.ended.set(execution, run);
    return run;
  }

  async *watch(run: string, log: string, signal: AbortSignal): AsyncGenerator<FleetEvent> {
    const view = new WorkflowView(this.client, checkRunId(run));
    const reader = new BeatReader(await this.openLog(run, log));
    let failures = 0;
    let [announcedMs, readMs] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    while (!signal.aborted) {
      try {
        const { beat, state, isQueued, trouble } = await view.look();
        if (failures > 0) yield { type: "connection", isLost: false };
        failures = 0;
        const isOver = state === "ended";
        const isMissed = reader.isBehind(beat) && performance.now() - readMs > MISSED_MS;
        if (isMissed) readMs = performance.now();
        const log = isOver || isMissed ? await this.readCarried(run, signal) : [];
        yield* reader.read(beat, log, isQueued && state === "working" ? await this.queue.explain() : undefined);
        if (isOver) {
          const why = beat?.failed ?? trouble;
          if (why !== undefined) fail("temporal.ended", { why });
          return;
        }
        if (state === "working" && performance.now() - announcedMs > ANNOUNCED_MS) {
          announcedMs = performance.now();
          await view.handle.signal("watch").catch(() => undefined);
        }
        await this.pause(run, state, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (isGone(error)) fail("trouble.runNotFound", { id: run });
        if (error instanceof DisplayError) throw error;
        const why = getErrorMessage(explainFailure(error, this.address));
        if (failures === 0) yield { type: "connection", isLost: true, why };
        await waitToRetry(failures, signal, MOST_PAUSE_MS);
        failures += 1;
      }
    }
  }

  /** A run that waits is looked at less often, until this machine sends it something. */
  private async pause(run: string, state: FleetRun["state"], signal: AbortSignal): Promise<void> {
    const sent = this.sentMs.get(run) ?? Number.NEGATIVE_INFINITY;
    const isQuiet = state !== "working" && performance.now() - sent > ANSWERED_MS;
    if (!isQuiet) return wait(LOOK_MS, undefined, { signal }).catch(() => undefined);
    for (
      let left = QUIET_LOOK_MS;
      left > 0 && !signal.aborted && (this.sentMs.get(run) ?? Number.NEGATIVE_INFINITY) === sent;
      left -= LOOK_MS
    )
      await wait(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }

  protected async *readLines(run: string, signal: AbortSignal): AsyncGenerator<string> {
    yield* await this.readCarried(run, signal);
  }

  async remove(run: string, folder: string, signal: AbortSignal): Promise<void> {
    const way = await this.openWay(folder, signal, run);
    const view = new WorkflowView(this.client, run);
    if ((await view.look()).state !== "ended") fail("fleet.stillWorks", { run });
    await forgetRun(way, run);
    const { namespace } = this.address;
    await this.client.workflowService
      .deleteWorkflowExecution({ namespace, workflowExecution: { workflowId: run } })
      .catch((error: unknown) => Promise.reject(explainFailure(error, this.address)));
  }

  /** Sends a request. A run whose workflow has ended gets a new one. */
  protected async send(run: string, request: ServedRequest): Promise<void> {
    const start = this.createStart(await this.findOrder(run));
    const signalArgs = [JSON.stringify(request)];
    await this.client.workflow
      .signalWithStart(WORKFLOW, { ...start, signal: "request", signalArgs })
      .catch((error: unknown) => Promise.reject(explainFailure(error, this.address)));
    this.sentMs.set(run, performance.now());
  }

  private createStart(order: FleetOrderText) {
    return {
      workflowId: order.run,
      taskQueue: getTaskQueue(this.options.key),
      args: [{ lives: LIVES }],
      memo: { order: JSON.stringify(order) },
    };
  }

  private describe(run: string) {
    return this.client.workflow
      .getHandle(checkRunId(run))
      .describe()
      .catch((error: unknown) => (isGone(error) ? undefined : Promise.reject(explainFailure(error, this.address))));
  }

  private async findOrder(run: string): Promise<FleetOrderText> {
    const found = await this.describe(run);
    return (found && this.readOrder(found, run)) ?? fail("trouble.runNotFound", { id: run });
  }

  /** The address through which a run travels; that of this machine, which may have a user and a password, if it's the same. */
  private async findAddress(run: string): Promise<string> {
    const { repository } = await this.findOrder(run);
    const own = await this.options.findRepository().catch(() => "");
    return removeUser(own) === repository ? own : repository;
  }

  /** Undefined for the order of another run, and for one that was removed here: the server lists it for a minute more. */
  private readOrder(
    { memo, status }: Pick<WorkflowExecutionInfo, "memo" | "status">,
    run: string,
  ): FleetOrderText | undefined {
    const order: unknown = tryJson(String(memo?.order ?? ""));
    if (!isFleetOrder(order) || order.run !== run) return undefined;
    const isGone = status.name !== "RUNNING" && findCarriedRun(this.options.data, order.run)?.isRemoved;
    return isGone ? undefined : order;
  }

  private async readCarried(run: string, signal: AbortSignal): Promise<readonly string[]> {
    return readCarriedLog(await this.openWay(this.options.folder, signal, run), run);
  }

  protected async openWay(folder: string, signal: AbortSignal, run?: string): Promise<CarryPlace> {
    const address = await (run === undefined ? this.options.findRepository() : this.findAddress(run));
    return this.openPlace(folder, signal, { address });
  }
}

function isStarted(error: unknown): boolean {
  return error instanceof Error && error.name === "WorkflowExecutionAlreadyStartedError";
}

function isGone(error: unknown): boolean {
  return error instanceof Error && error.name === "WorkflowNotFoundError";
}

/** A fleet as it's opened. */
export interface NamedFleet extends EngineOptions {
  /** Its address as the user wrote it. */
  readonly name: string;
  /** A folder in the repository whose runs they are. */
  readonly folder: string;
  /** Address of the repository through which runs travel; absent: that of the folder's remote one. */
  readonly repository?: string;
}

/** Opens a fleet on Temporal. Certificates and the key for its server come from the environment. Throws a sentence. */
export async function openTemporalFleet(
  { name, repository, folder, ...own }: NamedFleet,
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly engine: TemporalEngine; close(): Promise<void> }> {
  const { client, close } = await connectToTemporal(parseTemporalAddress(name), own.key, env);
  const findRepository = async (): Promise<string> =>
    repository ?? (await findRemoteAddress(folder)) ?? fail("temporal.noRemote", { folder });
  return { engine: new TemporalEngine({ ...own, client, place: name, folder, findRepository }), close };
}
