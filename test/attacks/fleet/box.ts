import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createTaskParts, readCarried, writeCarried } from "../../../src/fleet/carried.ts";
import { createCarrier } from "../../../src/fleet/carrier.ts";
import { type ClaimedRun, claimRun } from "../../../src/fleet/carry.ts";
import { createFleetKey, exportFleetKey, importFleetKey } from "../../../src/fleet/key.ts";
import { createMessageWriter } from "../../../src/fleet/message.ts";
import { type CarryPlace, findRunCommit, moveRunRef, openCarryGit } from "../../../src/fleet/run-ref.ts";
import { submitRun } from "../../../src/fleet/submit.ts";
import { getServedRepositoryName, openServedRepository } from "../../../src/headless/fleet/served-repository.ts";
import { addRequest, writeServedRecord } from "../../../src/headless/fleet/served-runs.ts";
import type { ServedRequest } from "../../../src/schema/fleet/served.ts";
import type { CarriedState, SubmittedTask } from "../../../src/schema/fleet/tasks.ts";
import { begin } from "../../support/fleet-machines.ts";
import { BOX, HOME, WORKSPACE } from "../place/paths.ts";

/** The run that the box works on, and another one of the same fleet. */
export const RUN = "20260102_030405_remote_0a1b";
export const OTHER_RUN = "20260102_030405_remote_9f9f";
/** Words that only the run's task has. */
export const TASK_END = "the shop of the canary.";
export const TASK = `Tidy up ${TASK_END}`;

const NAME = getServedRepositoryName("shop");

/** A machine that works for Ann, whose key it has, and Ann's own one, from which she has sent a task. */
export interface Box {
  readonly place: CarryPlace;
  readonly sender: CarryPlace;
  request(request: ServedRequest): Promise<void>;
  stop(): Promise<void>;
}

/** The folder of a person who may decide, if the machine names some. */
export const CHIEF = join(HOME, ".cache/chief");

/** Opens the machine's and Ann's places, with one key. */
export async function openBox(): Promise<Box> {
  const ann = join(HOME, ".cache/ann");
  for (const data of [BOX, ann]) mkdirSync(join(data, "fleet"), { recursive: true });
  const key = await createFleetKey(BOX).catch(async () => importFleetKey(BOX, await exportFleetKey(BOX)));
  await importFleetKey(ann, await exportFleetKey(BOX));
  const bare = await openServedRepository(BOX, NAME);
  const { signal } = new AbortController();
  const own = { root: WORKSPACE, gitFolder: join(WORKSPACE, ".git") };
  const sender = { data: ann, key, repository: own, remote: { address: bare.gitFolder }, signal };
  const place = { data: BOX, key, repository: bare, signal };
  let last = 0;
  const request = (one: ServedRequest): Promise<void> => addRequest(BOX, RUN, one);
  return {
    place,
    sender,
    request,
    stop: async () => {
      last += 1;
      const message = await createMessageWriter({ data: existsSync(CHIEF) ? CHIEF : ann, key })(RUN, { kind: "stop" });
      await request({ type: "tell", id: `stop ${last}`, message });
    },
  };
}

/** Sends the task to the box, as Ann would. */
export async function sendTask({ sender }: Pick<Box, "sender">, run = RUN): Promise<void> {
  const settings = { "model.smart": "attacker", "run.maxSteps": 12 };
  await submitRun(sender, { run, task: TASK, settings, submittedBy: "Ann", folder: WORKSPACE });
}

/** Writes down that the box works on the run. `remote`: the address that its order names. */
export async function orderRun(remote?: string): Promise<void> {
  const facts = { version: 1, run: RUN, repository: NAME, startedAt: new Date().toISOString() } as const;
  await writeServedRecord(BOX, { ...facts, refused: [], handled: [], ...(remote === undefined ? {} : { remote }) });
}

/** Begins the run on another machine of Ann's, which may write more before it's carried. */
export async function beginElsewhere(
  box: Box,
  change: (claimed: ClaimedRun, place: CarryPlace) => Promise<void>,
): Promise<void> {
  const data = join(HOME, ".cache/third");
  mkdirSync(data, { recursive: true });
  await importFleetKey(data, await exportFleetKey(BOX));
  const place = { ...box.place, data };
  const claimed = await claimRun(place, RUN, "third");
  await begin({ place, workspace: claimed.workspace }, claimed);
  await change(claimed, place);
  const carrier = await createCarrier(place, RUN);
  await carrier.push();
  await carrier.close();
}

/** Replaces the task of the run by another content, as whoever has the key and may push could. */
export async function replaceTask({ place }: Box, content: (was: SubmittedTask) => unknown): Promise<void> {
  const git = await openCarryGit(place);
  const from = (await findRunCommit(place, git, RUN)) ?? "";
  const { task, submitted } = await readCarried(place, git, RUN, from);
  const text = JSON.stringify(content({ version: 2, ...submitted }));
  const taskPart = await createTaskParts(place, RUN).write(Buffer.from(text));
  const to = await writeCarried(place, { task, taskPart, attempt: 0, machine: "", parents: [task.base] });
  await moveRunRef(place, git, RUN, { from, to });
}

/** Replaces what the run carries, in the same way. */
export async function replaceState({ place }: Box, change: (was: CarriedState) => CarriedState): Promise<void> {
  const git = await openCarryGit(place);
  const from = (await findRunCommit(place, git, RUN)) ?? "";
  const { statePart: _part, state, ...carried } = await readCarried(place, git, RUN, from);
  if (!state) throw new Error("Nothing is carried yet.");
  const to = await writeCarried(place, { ...carried, state: change(state), parents: [from] });
  await moveRunRef(place, git, RUN, { from, to });
}
