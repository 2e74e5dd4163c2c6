import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Client, WorkflowExecutionInfo, WorkflowHandle } from "@temporalio/client";
import { decodeArrayFromPayloads } from "@temporalio/common/lib/internal-non-workflow/index.js";
import { getErrorMessage } from "../../core/base/errors.ts";
import { isObject, tryJson } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import { findRepositoryAround } from "../../node/git/repository.ts";
import { loadFleetMarks } from "../../runs/store/fleet-marks.ts";
import { createRunId, isRunId } from "../../runs/store/run-folder.ts";
import type { FleetBeat, FleetOrderText } from "../../schema/fleet/orders.ts";
import type { AskedQuestion, ServedRequest } from "../../schema/fleet/served.ts";
import { isFleetBeat, isFleetOrder } from "../../schema/host-validators.ts";
import { DisplayError, fail } from "../../texts/display-text.ts";
import { fetchRun, readCarriedLog } from "../carry.ts";
import { signDecision } from "../decision.ts";
import type { FleetAnswer, FleetEngine, FleetEvent, FleetRun, FleetSubmission } from "../engine.ts";
import type { FleetKey } from "../key.ts";
import { rememberPlace } from "../known-places.ts";
import { createMessageWriter } from "../message.ts";
import { createQuestionReader } from "../question.ts";
import type { CarryPlace } from "../run-ref.ts";
import { submitRun } from "../submit.ts";
import { getTaskQueue, WORKFLOW } from "./connection.ts";

/** How often a watched run is looked at, in ms. */
const LOOK_MS = 200;
/** Workers that a run may lose. */
const LIVES = 20;
const PAUSES_MS = [500, 1000, 2000, 5000, 10_000];

/** Dependencies of the engine. */
interface TemporalEngineOptions {
  readonly client: Client;
  /** The address as the user wrote it. */
  readonly place: string;
  /** The user's own folder on this machine. */
  readonly data: string;
  /** The folder of the copies; absent: the one in the user's folder. */
  readonly copies?: string;
  readonly key: FleetKey;
  /** The sender's name, for people. */
  readonly sender: string;
  /** Finds the address of the repository through which new runs travel. */
  findRepository(): Promise<string>;
  /** A folder in the repository on this machine. */
  readonly folder: string;
}

/** Runs that a Temporal server hands out to workers. The server sees IDs, times and states; the bytes of a run travel through git. */
export class TemporalEngine implements FleetEngine {
  readonly place: string;
  private readonly options: TemporalEngineOptions;
  private readonly client: Client;
  private readonly writeMessage: ReturnType<typeof createMessageWriter>;

  constructor(options: TemporalEngineOptions) {
    this.writeMessage = createMessageWriter(options);
    this.options = options;
    this.client = options.client;
    this.place = options.place;
  }

  async submit({ run: given, folder, ...wanted }: FleetSubmission, signal: AbortSignal): Promise<FleetRun> {
    const { sender } = this.options;
    const { task } = wanted;
    const repository = await this.options.findRepository();
    const place = await this.openPlace(folder, repository, signal);
    const now = new Date();
    const run = given ?? createRunId("fleet", now);
    await submitRun(place, { run, ...wanted, submittedBy: sender, folder, isAgain: given !== undefined });
    const startedAt = now.toISOString();
    const order: FleetOrderText = { version: 1, run, repository, task, startedAt };
    await rememberPlace(this.options.data, this.place, run);
    const start = { ...this.createStart(order), workflowIdReusePolicy: "REJECT_DUPLICATE" } as const;
    await this.client.workflow.start(WORKFLOW, start).catch((error: unknown) => {
      if (given === undefined || !isStarted(error)) throw error;
    });
    return { place: this.place, id: run, task, startedAt, state: "working", steps: 0 };
  }

  async list(): Promise<readonly FleetRun[]> {
    const query = `WorkflowType = '${WORKFLOW}' AND TaskQueue = '${getTaskQueue(this.options.key)}'`;
    const runs = new Map<string, FleetRun>();
    for await (const info of this.client.workflow.list({ query })) {
      const order = readOrder(info);
      if (!order || runs.has(order.run)) continue;
      const state = info.status.name === "RUNNING" ? await this.findState(order.run) : ("ended" as const);
      const { run: id, task, startedAt } = order;
      runs.set(id, { place: this.place, id, task, startedAt, state, steps: 0 });
    }
    return [...runs.values()];
  }

  async *watch(run: string, log: string, signal: AbortSignal): AsyncGenerator<FleetEvent> {
    const handle = this.client.workflow.getHandle(checkRunId(run));
    const isWritten = await this.createLineCheck(run);
    const had = log.split("\n").slice(0, -1);
    if (!had.every(isWritten)) fail("temporal.notSealed");
    const reader = new BeatReader(had.length, isWritten, createQuestionReader(this.options.key, run));
    let failures = 0;
    while (!signal.aborted) {
      try {
        const { beat, isOver } = await this.readBeat(handle);
        if (failures > 0) yield { type: "connection", isLost: false };
        failures = 0;
        const isMissing = isOver || (beat !== undefined && beat.stored > reader.held);
        yield* reader.read(beat, isMissing ? await this.readLines(run, signal) : []);
        if (isOver) {
          if (beat?.failed !== undefined) fail("temporal.ended", { why: beat.failed });
          return;
        }
        await wait(LOOK_MS, undefined, { signal }).catch(() => undefined);
      } catch (error) {
        if (signal.aborted) return;
        if (isGone(error)) fail("trouble.runNotFound", { id: run });
        if (error instanceof DisplayError) throw error;
        if (failures === 0) yield { type: "connection", isLost: true, why: getErrorMessage(error) };
        await wait(PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)], undefined, { signal }).catch(() => undefined);
        failures += 1;
      }
    }
  }

  /** The lines of a run's log as they were carried last. */
  async readLog(run: string, signal: AbortSignal): Promise<readonly string[]> {
    const isWritten = await this.createLineCheck(run);
    const lines = await this.readLines(run, signal);
    return lines.every(isWritten) ? lines : fail("temporal.notSealed");
  }

  async decide({ binding }: AskedQuestion, answer: FleetAnswer): Promise<void> {
    const { data, key } = this.options;
    const decision = await signDecision(binding, answer, { data, key, nowMs: Date.now() });
    await this.request(binding.run, { type: "decide", id: randomUUID(), decision });
  }

  async say(run: string, text: string): Promise<void> {
    const message = await this.writeMessage(run, { kind: "said", text });
    await this.request(run, { type: "tell", id: randomUUID(), message });
  }

  async stop(run: string): Promise<void> {
    const message = await this.writeMessage(run, { kind: "stop" });
    await this.request(run, { type: "tell", id: randomUUID(), message });
  }

  async raise(run: string, usd: number): Promise<void> {
    const message = await this.writeMessage(run, { kind: "raise", usd });
    await this.request(run, { type: "tell", id: randomUUID(), message });
  }

  async fetch(run: string, folder: string, signal: AbortSignal): Promise<void> {
    const { repository } = await this.findOrder(run);
    await fetchRun(await this.openPlace(folder, repository, signal), run, folder);
  }

  /** Sends a request. A run whose workflow has ended gets a new one. */
  private async request(run: string, request: ServedRequest): Promise<void> {
    const start = this.createStart(await this.findOrder(run));
    const signalArgs = [JSON.stringify(request)];
    await this.client.workflow.signalWithStart(WORKFLOW, { ...start, signal: "request", signalArgs });
  }

  private createStart(order: FleetOrderText) {
    return {
      workflowId: order.run,
      taskQueue: getTaskQueue(this.options.key),
      args: [{ order: JSON.stringify(order), lives: LIVES }],
      memo: { order: JSON.stringify(order) },
    };
  }

  private async findOrder(run: string): Promise<FleetOrderText> {
    const found = await this.client.workflow
      .getHandle(checkRunId(run))
      .describe()
      .catch((error: unknown) => (isGone(error) ? undefined : Promise.reject(error)));
    return (found && readOrder(found)) ?? fail("trouble.runNotFound", { id: run });
  }

  private async findState(run: string): Promise<FleetRun["state"]> {
    const { beat } = await this.readBeat(this.client.workflow.getHandle(run));
    return beat?.asked ? "waiting" : "working";
  }

  /** The last news: of the worker that works on the run, or of the last one. */
  private async readBeat(handle: WorkflowHandle): Promise<{ readonly beat?: FleetBeat; readonly isOver: boolean }> {
    const { raw, status } = await handle.describe();
    const isOver = status.name !== "RUNNING" && status.name !== "CONTINUED_AS_NEW";
    const [pending] = raw.pendingActivities ?? [];
    const payloads = pending ? pending.heartbeatDetails?.payloads : await this.readLastResult(handle);
    const [value] = payloads ? await decodeArrayFromPayloads(this.client.options.loadedDataConverter, payloads) : [];
    const beat: unknown = tryJson(String(isObject(value) ? value.beat : value));
    return isFleetBeat(beat) ? { isOver, beat } : { isOver };
  }

  private async readLastResult(handle: WorkflowHandle) {
    const { events = [] } = await handle.fetchHistory();
    const last = events?.findLast(({ activityTaskCompletedEventAttributes: done }) => done);
    return last?.activityTaskCompletedEventAttributes?.result?.payloads ?? undefined;
  }

  private async readLines(run: string, signal: AbortSignal): Promise<readonly string[]> {
    const { repository } = await this.findOrder(run);
    return readCarriedLog(await this.openPlace(this.options.folder, repository, signal), run);
  }

  private async createLineCheck(run: string): Promise<(line: string) => boolean> {
    return (await loadFleetMarks(this.options.data))?.createLineCheck(run) ?? fail("fleet.noKey");
  }

  private async openPlace(folder: string, address: string, signal: AbortSignal): Promise<CarryPlace> {
    const { data, key, copies } = this.options;
    const repository = (await findRepositoryAround(folder)) ?? fail("fleet.noRepository", { folder });
    return { data, key, repository, remote: { address }, signal, ...omitUndefined({ copies }) };
  }
}

/** Puts the news of heartbeats, of which some may be missed, together to a log without gaps. */
class BeatReader {
  /** Lines of the log that were read. */
  held: number;
  private readonly isWritten: (line: string) => boolean;
  private readonly readQuestion: ReturnType<typeof createQuestionReader>;
  private stretch = 0;
  private next = 0;
  private asked: string | undefined;

  constructor(
    held: number,
    isWritten: (line: string) => boolean,
    readQuestion: ReturnType<typeof createQuestionReader>,
  ) {
    this.held = held;
    this.isWritten = isWritten;
    this.readQuestion = readQuestion;
  }

  /** Reports those of the news, and of the log, that are new. Throws a sentence for a line that no machine of the fleet wrote. */
  *read(beat: FleetBeat | undefined, log: readonly string[]): Generator<FleetEvent> {
    for (const line of log.slice(this.held)) yield this.take(line);
    if (!beat) return;
    if (beat.stretch !== this.stretch) this.next = 0;
    this.stretch = beat.stretch;
    let stored = beat.stored;
    for (const [index, line] of beat.lines.entries()) {
      if (line.type === "stored") {
        stored += 1;
        if (stored === this.held + 1) yield this.take(line.line);
      } else if (line.type === "refused" && beat.first + index >= this.next)
        yield { ...line, why: escapeInvisible(line.why) };
    }
    this.next = Math.max(this.next, beat.first + beat.lines.length);
    const { asked } = beat;
    if (asked?.seal === this.asked) return;
    this.asked = asked?.seal;
    yield { type: "asks", ...omitUndefined({ question: asked && this.readQuestion(asked) }) };
  }

  private take(line: string): FleetEvent {
    if (!this.isWritten(line)) fail("temporal.notSealed");
    this.held += 1;
    return { type: "stored", line };
  }
}

function readOrder({ memo }: Pick<WorkflowExecutionInfo, "memo">): FleetOrderText | undefined {
  const order: unknown = tryJson(String(memo?.order ?? ""));
  return isFleetOrder(order) ? order : undefined;
}

function isStarted(error: unknown): boolean {
  return error instanceof Error && error.name === "WorkflowExecutionAlreadyStartedError";
}

function isGone(error: unknown): boolean {
  return error instanceof Error && error.name === "WorkflowNotFoundError";
}

function checkRunId(run: string): string {
  return isRunId(run) ? run : fail("trouble.runNotFound", { id: run });
}
