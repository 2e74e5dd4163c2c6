import { setTimeout as wait } from "node:timers/promises";
import { Context } from "@temporalio/activity";
import type { Client } from "@temporalio/client";
import {
  addRequest,
  clearServedRun,
  type FleetKey,
  type FleetOrderText,
  getServedRepositoryName,
  hasRequests,
  hasSucceeded,
  isFleetBeat,
  isFleetOrder,
  isServedRequest,
  isWorkedOn,
  readServedRecord,
  type Surroundings,
  takeRequests,
  tryJson,
  workOnServedRun,
  writeServedRecord,
} from "../../../src/headless/fleet/library.ts";
import { RunNews } from "./run-news.ts";
import { StretchLink } from "./stretch-link.ts";
import type { FinishedStretch, OrderedStretch, RunMail } from "./workflow.ts";

/** How often the server is asked, in ms: while the run works, and while it waits for an answer or the server for its restart. */
const LOOK_MS = 2_000;
const LOOK_SOON_MS = 200;

/** Dependencies of the work on stretches. */
export interface StretchParts {
  readonly client: Client;
  readonly key: FleetKey;
  /** How long a run that asks keeps its worker, so that a quick answer has a quick effect, in ms. */
  readonly lingerMs: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly around: Surroundings;
}

/** Works on a run until it has ended, or asks something and isn't answered soon. */
export async function workOnStretch(parts: StretchParts, stretch: OrderedStretch): Promise<FinishedStretch> {
  const { before = "{}", number } = stretch;
  const { data } = parts.around;
  const run = Context.current().info.workflowExecution?.workflowId ?? "";
  const { memo } = await parts.client.workflow.getHandle(run).describe();
  const order: unknown = tryJson(String(memo?.order ?? ""));
  const hold = (held: string): FinishedStretch => ({ state: "held", taken: 0, beat: addHeld(before, number, held) });
  if (!isFleetOrder(order)) return hold("The run was sent by a newer version. Update the fleet's workers.");
  // A server could give the order of another run.
  if (order.run !== run) throw new Error("The order is for another run.");
  if (await isWorkedOn(data, order.run, parts.key))
    return hold("Another program on the machine of its worker still works on the run. End that, or wait for it.");
  await prepareRecord(data, order, before);
  return work(parts, order, number);
}

async function work(parts: StretchParts, { run }: FleetOrderText, number: number): Promise<FinishedStretch> {
  const { client, key, env, around, lingerMs } = parts;
  const context = Context.current();
  const leaving = new AbortController();
  const signal = AbortSignal.any([around.signal, context.cancellationSignal, leaving.signal]);
  let [taken, watches] = [0, 0];
  let asking = Promise.withResolvers<void>();
  const news = new RunNews(
    { data: around.data, run, stretch: number },
    {
      send: (beat) => context.heartbeat(beat),
      handleQuestion: () => asking.resolve(),
    },
  );
  const takeMail = async (mail: RunMail): Promise<void> => {
    if (mail.watches > watches) news.showLive();
    watches = mail.watches;
    for (const text of mail.requests.slice(taken)) {
      const request: unknown = tryJson(text);
      if (isServedRequest(request)) await addRequest(around.data, run, request);
      taken += 1;
    }
  };
  const reports = { leave: (why: Error) => leaving.abort(why), takeMail };
  const link = new StretchLink(client, { run, activity: context.info.activityId }, reports);
  let failed: string | undefined;
  try {
    const ended = workOnServedRun(run, env, { ...around, signal }).then(
      () => "ended" as const,
      (error: unknown) => {
        failed = error instanceof Error ? error.message : String(error);
        return "ended" as const;
      },
    );
    let isReached = true;
    const pause = async (): Promise<void> => {
      if (news.isAsking || !isReached) return wait(LOOK_SOON_MS);
      asking = Promise.withResolvers<void>();
      await Promise.race([asking.promise, wait(LOOK_MS)]);
    };
    do {
      // A server that doesn't answer is a matter of the link.
      isReached = await hasSucceeded(link.look());
      if (news.hasWaited(lingerMs) && !(await hasRequests(around.data, run)))
        leaving.abort(new Error("The run waits for its user."));
    } while ((await Promise.race([ended, pause()])) !== "ended");
  } finally {
    link.close();
    await news.close();
  }
  // Those that came too late are for the next worker.
  let left = 0;
  await takeRequests(around.data, run, async () => {
    left += 1;
  });
  // A worker that stays on would fill its disk with them.
  if (news.isOver) await clearServedRun(around.data, run, key).catch(() => undefined);
  const hasFailed = failed !== undefined && !signal.aborted && !news.isOver;
  taken = Math.max(0, taken - left);
  // The words of its user wait until that is put right.
  if (hasFailed && left > 0) return { state: "held", taken, beat: addHeld(news.formatEnd(), number, failed ?? "") };
  return {
    state: hasFailed || news.isOver ? "over" : news.isAsking ? "waits" : "left",
    taken,
    beat: news.formatEnd(failed),
  };
}

/** The last news with the reason why the run isn't worked on. */
function addHeld(before: string, stretch: number, held: string): string {
  const beat: unknown = tryJson(before);
  const rest = isFleetBeat(beat) ? beat : { first: 0, stored: 0, lines: [] };
  return JSON.stringify({ ...rest, lines: [], stretch, held });
}

/** Writes down what this machine has to know before it works on the run, with what the run asked on the machine before. */
async function prepareRecord(data: string, order: FleetOrderText, before: string): Promise<void> {
  const { run, startedAt, repository: remote } = order;
  const beat: unknown = tryJson(before);
  const asked = isFleetBeat(beat) ? beat.asked : undefined;
  const known = await readServedRecord(data, run);
  // The log of an earlier attempt is replaced when the run is claimed, so it isn't news. Earlier stretches have reported what they refused.
  const { asked: _asked, failed: _failed, isOver: _isOver, home: _home, ...rest } = known ?? { handled: [], startedAt };
  const facts = { version: 1 as const, run, remote, repository: getServedRepositoryName(remote) };
  await writeServedRecord(data, { ...rest, ...facts, refused: [], ...(asked ? { asked } : {}) });
}
