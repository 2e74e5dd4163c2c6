import type { Client, WorkflowHandle } from "@temporalio/client";
import { decodeArrayFromPayloads } from "@temporalio/common/lib/internal-non-workflow/index.js";
import { isObject, tryJson } from "../../core/base/json.ts";
import type { FleetBeat } from "../../schema/fleet/orders.ts";
import { isFleetBeat } from "../../schema/host-validators.ts";
import type { FleetRun } from "../engine.ts";

type Description = Awaited<ReturnType<WorkflowHandle["describe"]>>;
type Payloads = Parameters<typeof decodeArrayFromPayloads>[1];

/** A run as Temporal knows it. */
export interface SeenRun {
  /** The last news: of the worker that works on the run, or of the last one. */
  readonly beat?: FleetBeat;
  readonly state: FleetRun["state"];
  /** True while no worker has taken it. */
  readonly isQueued?: boolean;
  /** Why it has ended without its workers, as a sentence. */
  readonly trouble?: string;
}

/** How long a look may take, in ms: a server that has just been started may never answer. */
const LOOK_DEADLINE_MS = 4_000;
const HISTORY_DEADLINE_MS = 20_000;

/** The state of a part of a run that a worker works on. */
const STARTED = 2;

/** Looks at the workflow of a run, again and again. */
export class WorkflowView {
  private readonly client: Client;
  readonly handle: WorkflowHandle;
  /** The result of the last stretch, for the length of history at which it was read. */
  private last: { readonly at: string; readonly payloads: Payloads } | undefined;

  constructor(client: Client, run: string) {
    this.client = client;
    this.handle = client.workflow.getHandle(run);
  }

  async look(): Promise<SeenRun> {
    const found = await this.client.withDeadline(Date.now() + LOOK_DEADLINE_MS, () => this.handle.describe());
    const { raw, status } = found;
    const isOver = status.name !== "RUNNING" && status.name !== "CONTINUED_AS_NEW";
    const [pending] = raw.pendingActivities ?? [];
    const payloads = pending?.heartbeatDetails?.payloads ?? (await this.readLastResult(found));
    const [value] = payloads ? await decodeArrayFromPayloads(this.client.options.loadedDataConverter, payloads) : [];
    const beat: unknown = tryJson(String(isObject(value) ? value.beat : value));
    const isQueued = pending?.state !== STARTED;
    const known = isFleetBeat(beat) ? { beat } : {};
    if (isOver) return { ...known, state: "ended", ...explainEnd(status.name) };
    if (!isFleetBeat(beat)) return { state: "working", isQueued };
    return { beat, isQueued, state: beat.asked ? "waiting" : beat.held === undefined ? "working" : "silent" };
  }

  /** The result of the last stretch, which is read once. */
  private async readLastResult({ runId, raw, historyLength }: Description): Promise<Payloads> {
    const length = raw.workflowExecutionInfo?.historyLength ?? historyLength;
    const at = `${runId} ${length}`;
    if (this.last?.at === at) return this.last.payloads;
    const { events } = await this.client.withDeadline(Date.now() + HISTORY_DEADLINE_MS, () =>
      this.handle.fetchHistory(),
    );
    const done = events?.findLast((event) => event.activityTaskCompletedEventAttributes);
    const payloads = done?.activityTaskCompletedEventAttributes?.result?.payloads ?? undefined;
    this.last = { at, payloads };
    return payloads;
  }
}

/** A workflow completes by itself at the end of its run. */
function explainEnd(status: string): Pick<SeenRun, "trouble"> {
  if (status === "COMPLETED") return {};
  return { trouble: `It has lost too many workers, or was ended on the server (${status.toLowerCase()}).` };
}

/** The number of the kind of queue that each worker takes from. */
const WORKFLOWS = 1;
/** How often the server is asked for workers, in ms. */
const ASKED_MS = 10_000;

/** Looks whether there are workers for the runs of a fleet. */
export class QueueView {
  private readonly client: Client;
  private readonly place: string;
  private readonly name: string;
  private seen: { readonly ms: number; readonly hasWorkers: boolean } | undefined;

  constructor(client: Client, place: string, name: string) {
    this.client = client;
    this.place = place;
    this.name = name;
  }

  /** Why no worker takes a run that waits for one, as a sentence; undefined if one may. */
  async explain(): Promise<string | undefined> {
    const ms = performance.now();
    if (!this.seen || ms - this.seen.ms > ASKED_MS) {
      const { namespace } = this.client.options;
      const asked = { namespace, taskQueue: { name: this.name }, taskQueueType: WORKFLOWS };
      const { pollers } = await this.client.workflowService.describeTaskQueue(asked);
      this.seen = { ms, hasWorkers: (pollers ?? []).length > 0 };
    }
    if (this.seen.hasWorkers) return undefined;
    return `No worker takes runs with your fleet key there, so the run waits. Start one with: autogpt-worker worker --on ${this.place}`;
  }
}
