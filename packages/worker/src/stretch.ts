import { setTimeout as wait } from "node:timers/promises";
import { Context } from "@temporalio/activity";
import type { Client } from "@temporalio/client";
import {
  addRequest,
  type FleetOrderText,
  getServedRepositoryName,
  isFleetBeat,
  isFleetOrder,
  isServedRequest,
  readServedRecord,
  type Surroundings,
  tryJson,
  workOnServedRun,
  writeServedRecord,
} from "../../../src/headless/fleet/library.ts";
import { RunNews } from "./run-news.ts";
import type { FinishedStretch, OrderedStretch } from "./workflow.ts";

/** How often requests are looked for, in ms. */
const LOOK_MS = 200;
/** How long a run that asks keeps its worker, so that a quick answer has a quick effect, in ms. */
const LINGER_MS = Number(process.env.AUTOGPT_LINGER_MS ?? 60_000);
/** Without an answer of the server for that long, in ms, another worker may soon begin: this one has to be gone by then. */
const FENCE_MS = 20_000;
const CHECK_MS = 2_500;

/** Dependencies of the work on stretches. */
export interface StretchParts {
  readonly client: Client;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly around: Surroundings;
}

/** Works on a run until it has ended, or asks something and isn't answered soon. */
export async function workOnStretch(parts: StretchParts, stretch: OrderedStretch): Promise<FinishedStretch> {
  const order: unknown = tryJson(stretch.order);
  if (!isFleetOrder(order)) throw new Error("The order is damaged, or from a newer version than this worker.");
  // A server could give the order of another run.
  if (order.run !== Context.current().info.workflowExecution?.workflowId)
    throw new Error("The order is for another run.");
  const { data } = parts.around;
  const context = Context.current();
  const leaving = new AbortController();
  const signal = AbortSignal.any([parts.around.signal, context.cancellationSignal, leaving.signal]);
  await prepareRecord(data, order, stretch.before);
  const news = new RunNews({ data, run: order.run, stretch: stretch.number }, (beat) => context.heartbeat(beat));
  const stopGuarding = guard(parts, order.run, leaving);
  let taken = 0;
  let failed: string | undefined;
  try {
    const ended = workOnServedRun(order.run, parts.env, { ...parts.around, signal }).then(
      () => "ended" as const,
      (error: unknown) => {
        failed = error instanceof Error ? error.message : String(error);
        return "ended" as const;
      },
    );
    while ((await Promise.race([ended, wait(LOOK_MS)])) !== "ended") {
      taken = await takeRequests(parts, order.run, taken);
      if (news.hasWaited(LINGER_MS)) leaving.abort(new Error("The run waits for its user."));
    }
  } finally {
    stopGuarding();
    await news.close();
  }
  return { isOver: news.isOver || failed !== undefined, taken, beat: news.formatEnd(failed) };
}

/** Writes down what this machine has to know before it works on the run, with what the run asked on the machine before. */
async function prepareRecord(data: string, order: FleetOrderText, before: string | undefined): Promise<void> {
  const { run, startedAt, repository: remote } = order;
  const beat: unknown = tryJson(before ?? "");
  const asked = isFleetBeat(beat) ? beat.asked : undefined;
  const known = await readServedRecord(data, run);
  const { asked: _asked, failed: _failed, isOver: _isOver, ...rest } = known ?? { refused: [], handled: [], startedAt };
  const facts = { version: 1 as const, run, remote, repository: getServedRepositoryName(remote) };
  await writeServedRecord(data, { ...rest, ...facts, ...(asked ? { asked } : {}) });
}

/** Brings the requests from the workflow into the run's inbox. Returns how many it has taken in all. */
async function takeRequests({ client, around }: StretchParts, run: string, taken: number): Promise<number> {
  const all = await client.workflow
    .getHandle(run)
    .query<readonly string[]>("requests")
    .catch(() => []);
  for (const text of all.slice(taken)) {
    const request: unknown = tryJson(text);
    if (isServedRequest(request)) await addRequest(around.data, run, request);
  }
  return Math.max(taken, all.length);
}

/** Ends the work once the run was given to another worker, or the server hasn't confirmed for too long that it wasn't. */
function guard({ client }: StretchParts, run: string, leaving: AbortController): () => void {
  const { activityId } = Context.current().info;
  let confirmed = performance.now();
  const check = async (): Promise<void> => {
    const asked = performance.now();
    const { raw } = await client.workflow.getHandle(run).describe();
    if (raw.pendingActivities?.some((pending) => pending.activityId === activityId)) confirmed = asked;
    else leaving.abort(new Error("The run was given to another worker."));
  };
  const timer = setInterval(() => {
    void check().catch(() => undefined);
    if (performance.now() - confirmed > FENCE_MS) leaving.abort(new Error("The server can't be reached."));
  }, CHECK_MS);
  return () => clearInterval(timer);
}
