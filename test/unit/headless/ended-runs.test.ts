import assert from "node:assert/strict";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { claimRun } from "../../../src/fleet/carry.ts";
import { createMessageWriter } from "../../../src/fleet/message.ts";
import { workOnServedRun } from "../../../src/headless/fleet/serve-work.ts";
import { getServedRepositoryName } from "../../../src/headless/fleet/served-repository.ts";
import { addRequest, readServedRecord, writeServedRecord } from "../../../src/headless/fleet/served-runs.ts";
import { findWalls } from "../../../src/isolation/walls/find-walls.ts";
import type { FleetMessage } from "../../../src/schema/fleet/decisions.ts";
import { serverForSuite } from "../../support/fake-model-server.ts";
import { FLEET_RUN, makeFleet, send } from "../../support/fleet-machines.ts";
import { calling } from "../../support/headless.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const model = serverForSuite();
const tempFolder = tempFolders();

const FINISH = calling("task_complete", { reason: "All tidy." });

/** A run that a worker has finished, and that another worker gets again with these messages. */
async function workTwice(...acts: readonly FleetMessage["act"][]) {
  const top = await tempFolder();
  const [sender, first, second] = await makeFleet(top, ["sender", "first", "second"]);
  if (!sender || !first || !second) throw new Error("There are no machines.");
  const remote = join(top, "origin.git");
  const work = async ({ place: { data } }: typeof first): Promise<void> => {
    const facts = { version: 1, run: FLEET_RUN, remote, repository: getServedRepositoryName(remote) } as const;
    await writeServedRecord(data, { ...facts, startedAt: "", refused: [], handled: [] });
    const write = createMessageWriter(sender.place);
    for (const [at, act] of (data === second.place.data ? acts : []).entries())
      await addRequest(data, FLEET_RUN, { type: "tell", id: `m-${at}`, message: await write(FLEET_RUN, act) });
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const env = { HOME: top, PATH: process.env.PATH, OPENAI_API_KEY: "a-test-key", OPENAI_BASE_URL: model().baseUrl };
    const own = { ...env, AUTOGPT_MODEL_SMART: "fake", AUTOGPT_MODEL_CONTEXT_WINDOW: "16000" };
    await workOnServedRun(FLEET_RUN, own, { stdin, stdout, stderr, data, signal: new AbortController().signal });
  };
  await send(sender);
  model().plan(FINISH, FINISH);
  await work(first);
  const asked = model().requests.length;
  await work(second);
  const { isOver } = (await readServedRecord(second.place.data, FLEET_RUN)) ?? {};
  return { again: model().requests.length - asked, isOver, third: await claimRun(first.place, FLEET_RUN, "first") };
}

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
