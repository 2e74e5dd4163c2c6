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
}

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
    const found = await this.handle.describe();
    const { raw, status } = found;
    const isOver = status.name !== "RUNNING" && status.name !== "CONTINUED_AS_NEW";
    const [pending] = raw.pendingActivities ?? [];
    const payloads = pending?.heartbeatDetails?.payloads ?? (await this.readLastResult(found));
    const [value] = payloads ? await decodeArrayFromPayloads(this.client.options.loadedDataConverter, payloads) : [];
    const beat: unknown = tryJson(String(isObject(value) ? value.beat : value));
    if (isOver) return isFleetBeat(beat) ? { state: "ended", beat } : { state: "ended" };
    if (!isFleetBeat(beat)) return { state: "working" };
    return { beat, state: beat.asked ? "waiting" : beat.held === undefined ? "working" : "silent" };
  }

  /** The result of the last stretch, which is read once. */
  private async readLastResult({ runId, raw, historyLength }: Description): Promise<Payloads> {
    const length = raw.workflowExecutionInfo?.historyLength ?? historyLength;
    const at = `${runId} ${length}`;
    if (this.last?.at === at) return this.last.payloads;
    const { events } = await this.handle.fetchHistory();
    const done = events?.findLast((event) => event.activityTaskCompletedEventAttributes);
    const payloads = done?.activityTaskCompletedEventAttributes?.result?.payloads ?? undefined;
    this.last = { at, payloads };
    return payloads;
  }
}
