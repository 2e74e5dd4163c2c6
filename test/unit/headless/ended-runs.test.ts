import assert from "node:assert/strict";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { createCarrier } from "../../../src/fleet/carrier.ts";
import { claimRun } from "../../../src/fleet/carry.ts";
import { createBinding } from "../../../src/fleet/decision.ts";
import { createMessageWriter } from "../../../src/fleet/message.ts";
import { sealQuestion } from "../../../src/fleet/question.ts";
import { workOnServedRun } from "../../../src/headless/fleet/serve-work.ts";
import { getServedRepositoryName } from "../../../src/headless/fleet/served-repository.ts";
import { addRequest, readServedRecord, writeServedRecord } from "../../../src/headless/fleet/served-runs.ts";
import { findWalls } from "../../../src/isolation/walls/find-walls.ts";
import type { FleetMessage, SealedText } from "../../../src/schema/fleet/decisions.ts";
import { serverForSuite } from "../../support/fake-model-server.ts";
import { begin, FLEET_RUN, type FleetMachine, makeFleet, send } from "../../support/fleet-machines.ts";
import { calling } from "../../support/headless.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const model = serverForSuite();
const tempFolder = tempFolders();

const FINISH = calling("task_complete", { reason: "All tidy." });

/** A machine works on the run as long as it can. */
async function work(top: string, { place: { data } }: FleetMachine, asked?: SealedText): Promise<void> {
  const remote = join(top, "origin.git");
  const facts = { version: 1, run: FLEET_RUN, remote, repository: getServedRepositoryName(remote) } as const;
  await writeServedRecord(data, { ...facts, startedAt: "", refused: [], handled: [], ...(asked ? { asked } : {}) });
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const env = { HOME: top, PATH: process.env.PATH, OPENAI_API_KEY: "a-test-key", OPENAI_BASE_URL: model().baseUrl };
  const own = { ...env, AUTOGPT_MODEL_SMART: "fake", AUTOGPT_MODEL_CONTEXT_WINDOW: "16000" };
  await workOnServedRun(FLEET_RUN, own, { stdin, stdout, stderr, data, signal: new AbortController().signal });
}

/** A run that a worker has finished, and that another worker gets again with these messages. */
async function workTwice(...acts: readonly FleetMessage["act"][]) {
  const top = await tempFolder();
  const [sender, first, second] = await makeFleet(top, ["sender", "first", "second"]);
  if (!sender || !first || !second) throw new Error("There are no machines.");
  await send(sender);
  model().plan(FINISH, FINISH);
  await work(top, first);
  const asked = model().requests.length;
  const write = createMessageWriter(sender.place);
  for (const [at, act] of acts.entries())
    await addRequest(second.place.data, FLEET_RUN, {
      type: "tell",
      id: `m-${at}`,
      message: await write(FLEET_RUN, act),
    });
  await work(top, second);
  const { isOver } = (await readServedRecord(second.place.data, FLEET_RUN)) ?? {};
  return { again: model().requests.length - asked, isOver, third: await claimRun(first.place, FLEET_RUN, "first") };
}

/** A run whose machines were lost so often before the model had replied, and how often the next one asks the model. */
async function workAfterLosses(count: number) {
  const top = await tempFolder();
  const [sender, worker] = await makeFleet(top, ["sender", "worker"]);
  if (!sender || !worker) throw new Error("There are no machines.");
  await send(sender);
  const claimed = await claimRun(worker.place, FLEET_RUN, "worker");
  await begin(worker, claimed);
  const carrier = await createCarrier(worker.place, FLEET_RUN);
  await carrier.push();
  await carrier.close();
  for (let lost = 1; lost < count; lost++) await claimRun(worker.place, FLEET_RUN, "worker");
  model().plan(FINISH);
  const asked = model().requests.length;
  await work(top, worker);
  const { isOver } = (await readServedRecord(worker.place.data, FLEET_RUN)) ?? {};
  return { asked: model().requests.length - asked, isOver };
}

describe("a run whose machines are lost", function () {
  this.timeout(120_000);

  before(async function () {
    if ((await findWalls("auto")).engine === "none") this.skip();
  });

  it("isn't tried without an end, because each attempt may have paid for a request", async () => {
    assert.deepEqual(
      { few: await workAfterLosses(20), many: await workAfterLosses(21) },
      { few: { asked: 1, isOver: true }, many: { asked: 0, isOver: true } },
    );
  });
});

describe("a run that has asked", () => {
  it("isn't worked on from a state before its question", async () => {
    const top = await tempFolder();
    const [sender, worker] = await makeFleet(top, ["sender", "worker"]);
    if (!sender || !worker) throw new Error("There are no machines.");
    await send(sender);
    const asked = { kind: "question", text: "Which color?" } as const;
    const binding = createBinding(FLEET_RUN, 2, asked, { nowMs: Date.now() });
    const question = sealQuestion(worker.place.key, { binding, text: asked.text });
    const why = await work(top, worker, question).catch((error: Error) => error.message);
    const { failed } = (await readServedRecord(worker.place.data, FLEET_RUN)) ?? {};
    assert.deepEqual(
      { isOlder: /has an older state of the run/.test(String(why)), isKept: failed === why },
      { isOlder: true, isKept: true },
    );
  });
});

describe("a run that has ended", function () {
  this.timeout(120_000);

  before(async function () {
    if ((await findWalls("auto")).engine === "none") this.skip();
  });

  it("isn't continued because whoever hands runs out gives it to a worker again", async () => {
    const { again, isOver, third } = await workTwice();
    assert.deepEqual({ again, isOver, attempt: third.attempt }, { again: 0, isOver: true, attempt: 3 });
  });

  it("is continued by words of its user", async () => {
    const { again, isOver } = await workTwice({ kind: "said", text: "Tidy the rest." });
    assert.deepEqual({ again, isOver }, { again: 1, isOver: true });
  });

  it("stays as it ended if it's stopped afterward", async () => {
    const { again, isOver } = await workTwice({ kind: "stop" });
    assert.deepEqual({ again, isOver }, { again: 0, isOver: true });
  });
});
