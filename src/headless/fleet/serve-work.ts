import { hostname } from "node:os";
import { PassThrough, Writable } from "node:stream";
import { getErrorMessage } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { createCarrier } from "../../fleet/carrier.ts";
import { claimRun } from "../../fleet/carry.ts";
import { type FleetKey, loadFleetKey } from "../../fleet/key.ts";
import { selectSentSettings } from "../../fleet/parcel.ts";
import { checkPictures } from "../../runs/store/run-pictures.ts";
import { openRun } from "../../runtime/compose-run.ts";
import type { LiveComposedRun } from "../../runtime/composed-run.ts";
import type { FleetTask } from "../../schema/fleet/tasks.ts";
import { DisplayError, displayText, fail } from "../../texts/display-text.ts";
import type { ProgramEnd } from "../exit-code.ts";
import { readFlags } from "../flags.ts";
import { createRunOptions, type RunOptions } from "../options.ts";
import { hear, startRun, toItsEnd } from "../run-headless.ts";
import { runWithSession, type Session, type Surroundings } from "../session.ts";
import { AnswerDesk } from "./answer-desk.ts";
import { openServedRepository } from "./served-repository.ts";
import { demandServedRecord, hasRequests, takeServedRun, writeServedRecord } from "./served-runs.ts";

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
      await work(run, env, around, key);
    } catch (error) {
      await writeServedRecord(data, { ...(await demandServedRecord(data, run)), failed: getErrorMessage(error) });
      throw error;
    } finally {
      await release();
    }
  } while (!around.signal.aborted && (await hasRequests(data, run)));
  return { kind: "done" };
}

async function work(
  run: string,
  env: Readonly<Record<string, string | undefined>>,
  around: Surroundings,
  key: FleetKey,
): Promise<void> {
  const { data, signal } = around;
  const record = await demandServedRecord(data, run);
  // The work so far is carried even if this process has to end.
  const carrying = new AbortController();
  const repository = await openServedRepository(data, record.repository);
  const remote = record.remote === undefined ? {} : { remote: { address: record.remote } };
  const place = { data, key, repository, ...remote, signal: carrying.signal };
  const { attempt, task, workspace, hasLog } = await claimRun(place, run, hostname());
  const suspending = new AbortController();
  const carrier = await createCarrier(place, run, { handleTaken: (error) => suspending.abort(error) });
  const push = (): Promise<void> =>
    carrier.push().catch((error: unknown) => void around.stderr.write(`${getErrorMessage(error)}\n`));
  const desk = new AnswerDesk({ data, key, attempt, record, handleQuestion: () => void push() });
  // A signal to this process, such as at the end of the system, only suspends the run.
  const ending = AbortSignal.any([signal, suspending.signal]);
  const own = {
    ...around,
    stdin: new PassThrough().end(),
    stdout: new Writable({ write: (_chunk, _encoding, done) => done() }),
    signal: new AbortController().signal,
    person: desk.person,
    fence: carrier.fence,
  };
  try {
    await runWithSession(createServedOptions(task, workspace, env), own, async (session) => {
      const composed = hasLog ? await openClaimed(session, run) : await startRun(session, readGiven(task));
      ending.throwIfAborted();
      const suspend = (): void => {
        desk.leave();
        void composed.live.suspend();
      };
      ending.addEventListener("abort", suspend, { once: true });
      await desk.begin(composed);
      if (ending.aborted) suspend();
      if (desk.isStopped) await composed.run.record({ type: "over", end: { reason: "stopped" } });
      else await toItsEnd(session, composed);
      await desk.end();
    });
    await push();
  } finally {
    desk.close();
    await carrier.close();
  }
}

async function openClaimed(session: Session, run: string): Promise<LiveComposedRun> {
  const { host } = session;
  const opened = await openRun(host, await host.store.open(run));
  if (opened.live === undefined) {
    await opened.dispose();
    throw new DisplayError(opened.readOnly ?? displayText("actions.readOnly"));
  }
  hear(session, opened, false);
  return opened as LiveComposedRun;
}

/** The parts of a task beside its text. Its pictures replace those of the command line, of which there are none. */
function readGiven({ run, pictures = [], sources }: FleetTask): Parameters<typeof startRun>[1] {
  const given = pictures.map(({ name, data }) => ({ name, data: Buffer.from(data, "base64") }));
  return { id: run, pictures: checkPictures(given), ...omitUndefined({ sources }) };
}

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
