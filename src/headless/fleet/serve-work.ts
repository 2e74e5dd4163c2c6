import { hostname } from "node:os";
import { PassThrough, Writable } from "node:stream";
import { getErrorMessage } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import type { RunEnd } from "../../core/commands/outcome.ts";
import { createCarrier } from "../../fleet/carrier.ts";
import { type ClaimedRun, claimRun } from "../../fleet/carry.ts";
import { type FleetKey, loadFleetKey } from "../../fleet/key.ts";
import { selectSentSettings } from "../../fleet/parcel.ts";
import { openQuestion } from "../../fleet/question.ts";
import type { CarryPlace } from "../../fleet/run-ref.ts";
import { checkPictures } from "../../runs/store/run-pictures.ts";
import type { LiveComposedRun } from "../../runtime/composed-run.ts";
import type { AskedQuestion } from "../../schema/fleet/served.ts";
import type { FleetTask } from "../../schema/fleet/tasks.ts";
import { fail } from "../../texts/display-text.ts";
import type { ProgramEnd } from "../exit-code.ts";
import { readFlags } from "../flags.ts";
import { createRunOptions, type RunOptions } from "../options.ts";
import { applyGivenLimits, openStoredRun, startRun, toItsEnd } from "../run-headless.ts";
import { runWithSession, type Session, type Surroundings } from "../session.ts";
import { AnswerDesk } from "./answer-desk.ts";
import { followKnownEnd } from "./known-end.ts";
import { createReplyLog } from "./live-reply.ts";
import { openServedRepository } from "./served-repository.ts";
import { demandServedRecord, explainProblem, hasRequests, takeServedRun, writeServedRecord } from "./served-runs.ts";

/** Works on a run of another machine to its end, as an isolated run of this one. */
export async function workOnServedRun(
  run: string,
  env: Readonly<Record<string, string | undefined>>,
  around: Surroundings,
): Promise<ProgramEnd> {
  const { data } = around;
  const key = (await loadFleetKey(data)) ?? fail("fleet.noKey");
  // A request that came too late for the last one's work starts it again.
  do {
    const release = await takeServedRun(data, run, key);
    if (!release) break;
    try {
      await workAsRecorded(run, env, around, key);
    } catch (error) {
      await writeServedRecord(data, { ...(await demandServedRecord(data, run)), failed: explainProblem(error) });
      throw error;
    } finally {
      await release();
    }
  } while (!around.signal.aborted && (await hasRequests(data, run)));
  return { kind: "done" };
}

async function workAsRecorded(
  run: string,
  env: Readonly<Record<string, string | undefined>>,
  around: Surroundings,
  key: FleetKey,
): Promise<void> {
  const { data } = around;
  const record = await demandServedRecord(data, run);
  const repository = await openServedRepository(data, record.repository);
  const remote = record.remote === undefined ? {} : { remote: { address: record.remote } };
  await work(run, {
    place: { data, key, repository, ...remote },
    machine: hostname(),
    createOptions: ({ task, workspace }) => createServedOptions(task, workspace, env),
    around: {
      ...around,
      stdin: new PassThrough().end(),
      stdout: new Writable({ write: (_chunk, _encoding, done) => done() }),
      // A Temporal server gets no pieces of replies.
      ...(record.remote === undefined ? { log: createReplyLog(data, run) } : {}),
    },
  });
}

/** A job of some minutes, which ends when the run asks. */
export interface FleetJob {
  readonly place: Omit<CarryPlace, "signal">;
  /** Name of the machine, for people. */
  readonly machine: string;
  /** The attempt that asked before; see `claimRun`. */
  readonly atLeast?: number;
  /** The work ends after a step once the time is up. */
  readonly mostMs: number;
  createOptions(claimed: ClaimedRun): RunOptions;
  readonly around: Surroundings;
}

/** How the work on a run has ended here. Without an end of the run's own, `end` says that it was suspended. */
export interface WorkedStretch {
  readonly claimed: ClaimedRun;
  readonly end: RunEnd;
  readonly question?: AskedQuestion;
  /** Why the last answer changed nothing. */
  readonly refusal?: string;
  readonly isTimeUp: boolean;
}

/** Works on a run until it asks, ends or has used the job's time, and carries it then. Nothing waits in this process. */
export async function workInJob(run: string, job: FleetJob): Promise<WorkedStretch> {
  const { data, key } = job.place;
  const release = (await takeServedRun(data, run, key)) ?? fail("fleet.worksHere", { folder: data });
  return work(run, job).finally(release);
}

async function work(
  run: string,
  {
    place,
    machine,
    atLeast = 0,
    mostMs,
    createOptions,
    around,
  }: Omit<FleetJob, "mostMs"> & { readonly mostMs?: number },
): Promise<WorkedStretch> {
  const { data, key } = place;
  const record = await demandServedRecord(data, run);
  // The work so far is carried even if this process has to end.
  const own = { ...place, signal: new AbortController().signal };
  const asked = record.asked && openQuestion(key, run, record.asked);
  const claimed = await claimRun(own, run, machine, Math.max(atLeast, asked?.binding.attempt ?? 0));
  const suspending = new AbortController();
  const suspend = (why: Error): void => suspending.abort(why);
  const carrier = await createCarrier(own, run, { handleTaken: suspend });
  const push = (): Promise<void> =>
    carrier.push().catch((error: unknown) => void around.stderr.write(`${escapeInvisible(getErrorMessage(error))}\n`));
  const isJob = mostMs !== undefined;
  const handleQuestion = (): void => (isJob ? suspend(new Error("The run asks.")) : void push());
  const desk = new AnswerDesk({ data, key, attempt: claimed.attempt, record, handleQuestion });
  // A signal to this process, such as at the end of the system, only suspends the run.
  const ending = AbortSignal.any([around.signal, suspending.signal]);
  const surroundings = { ...around, signal: new AbortController().signal, person: desk.person, fence: carrier.fence };
  let isTimeUp = false;
  try {
    const end = await runWithSession(createOptions(claimed), surroundings, async (session) => {
      const composed = claimed.hasLog
        ? await openStoredRun(session, run)
        : await startRun(session, readGiven(claimed.task));
      ending.throwIfAborted();
      // A job has its own options, where a user raises the limits of a run that has used them up.
      if (isJob && claimed.hasLog) await applyGivenLimits(session, composed);
      const leave = (): void => {
        desk.leave();
        void composed.live.suspend();
      };
      ending.addEventListener("abort", leave, { once: true });
      const findEnd = followKnownEnd(composed, claimed.attempt);
      await desk.begin(composed);
      if (ending.aborted) leave();
      const stopTiming = limitTime(composed, mostMs, () => {
        isTimeUp = true;
        suspend(new Error("The time is up."));
      });
      // An answer to a question that it had asked before its end continues it at once.
      const over = isJob || composed.live.running ? undefined : findEnd();
      const end = await finish(session, composed, desk, over).finally(() => {
        stopTiming();
        // A worker's signal outlives the run, and would keep all of it in memory.
        ending.removeEventListener("abort", leave);
      });
      await desk.end();
      return end;
    });
    // A job's machine is gone afterward, so its work would be lost.
    await (isJob ? carrier.push() : push());
    return { claimed, end, isTimeUp, ...omitUndefined({ question: desk.question, refusal: desk.refusal }) };
  } finally {
    desk.close();
    await carrier.close();
  }
}

/** `over`: the end that is known already. */
async function finish(
  session: Session,
  composed: LiveComposedRun,
  desk: AnswerDesk,
  over: RunEnd | undefined,
): Promise<RunEnd> {
  const end: RunEnd | undefined = over ?? (desk.isStopped ? { reason: "stopped" } : undefined);
  if (!end) return toItsEnd(session, composed);
  try {
    await composed.run.record({ type: "over", end });
    return end;
  } finally {
    await composed.dispose();
  }
}

/** The parts of a task beside its text. */
function readGiven({ run, pictures = [], sources }: FleetTask): Parameters<typeof startRun>[1] {
  const given = pictures.map(({ name, data }) => ({ name, data: Buffer.from(data, "base64") }));
  return { id: run, ...(given.length > 0 ? { pictures: checkPictures(given) } : {}), ...omitUndefined({ sources }) };
}

/** Pauses a run once the time is up, and calls back after its current step, or after a minute if that takes longer. */
function limitTime({ live, run }: LiveComposedRun, mostMs: number | undefined, end: () => void): () => void {
  if (mostMs === undefined) return () => undefined;
  const timers = [
    setTimeout(() => {
      live.pause();
      run.onEvent(({ type }) => {
        if (type === "paused") end();
      });
      timers.push(setTimeout(end, LAST_STEP_MS));
    }, mostMs),
  ];
  return () => {
    for (const timer of timers) clearTimeout(timer);
  };
}

const LAST_STEP_MS = 60_000;

function createServedOptions(
  { task, settings }: FleetTask,
  workspace: string,
  env: Readonly<Record<string, string | undefined>>,
): RunOptions {
  const set = Object.entries(selectSentSettings(Object.entries(settings))).flatMap(([name, value]) => [
    "--set",
    `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  ]);
  const flags = readFlags(["--workspace", workspace, "--isolated", "--json", ...set]);
  return createRunOptions(flags, env, "served run", task);
}
