import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { FleetEvent } from "../../src/fleet/engine.ts";
import { createFleetKey } from "../../src/fleet/key.ts";
import { parseTemporalAddress } from "../../src/fleet/temporal/address.ts";
import { connectToTemporal, getTaskQueue, WORKFLOW } from "../../src/fleet/temporal/connection.ts";
import { TemporalEngine } from "../../src/fleet/temporal/temporal-engine.ts";
import { WorkflowView } from "../../src/fleet/temporal/workflow-view.ts";
import { openLink } from "../support/blocked-link.ts";
import { explainNoWalls, skipIfLacking } from "../support/fleet-needs.ts";
import { freePort } from "../support/free-port.ts";
import { calling } from "../support/headless.ts";
import { git } from "../support/repositories.ts";
import { buildWorker, explainNoMarks, startTemporalFleet, type TemporalFleet } from "../support/temporal-fleet.ts";
import { answerWithMarks, inspectRun, sendRuns, WHOLE, waitForEnds } from "../support/temporal-runs.ts";
import { explainNoTemporal } from "../support/temporal-server.ts";
import { makeCertificates, makeExpiredCertificate } from "../support/tls-servers.ts";

const { signal } = new AbortController();
const ASK = calling("ask_user", { question: "Which color?" });
const FINISH = calling("task_complete", { reason: "All tidy." });

describe("a fleet on Temporal in trouble", function () {
  this.timeout(0);
  let fleet: TemporalFleet;

  before(async function () {
    skipIfLacking(this, explainNoTemporal(), await explainNoWalls());
    buildWorker();
  });
  beforeEach(async () => {
    fleet = await startTemporalFleet();
  });
  afterEach(() => fleet?.stop());

  /** When a run left each of its marks. */
  const readTimes = (run: number): readonly number[] =>
    readFileSync(join(fleet.marks, String(run)), "utf8")
      .trim()
      .split("\n")
      .map((line) => Number(line.split(" ")[1]));

  it("continues a run on the same worker after its connection was away for 25 seconds", async function () {
    skipIfLacking(this, explainNoMarks());
    const link = await openLink(Number(fleet.server.host.split(":")[1]));
    await fleet.startWorker({ place: `temporal://127.0.0.1:${link.port}` });
    fleet.models.plan(answerWithMarks(fleet.marks, { steps: 25, seconds: 1 }));
    const ids = await sendRuns(fleet, 0, 1);
    await pause(4_000);
    link.setBlocked(true);
    await pause(25_000);
    const marksWhileAway = readTimes(0).filter((ms) => ms > Date.now() - 3_000);
    link.setBlocked(false);
    await waitForEnds(fleet, ids);
    const { found } = await inspectRun(fleet, ids[0] ?? "", 0);
    await link.close();
    assert.deepEqual({ found, marksWhileAway }, { found: WHOLE, marksWhileAway: [] });
  });

  it("gives a run to another worker only when the one without a connection has stopped", async function () {
    skipIfLacking(this, explainNoMarks());
    const link = await openLink(Number(fleet.server.host.split(":")[1]));
    await fleet.startWorker({ place: `temporal://127.0.0.1:${link.port}` });
    fleet.models.plan(answerWithMarks(fleet.marks, { steps: 40, seconds: 1 }));
    const ids = await sendRuns(fleet, 0, 1);
    await pause(4_000);
    link.setBlocked(true);
    await fleet.startWorker();
    await waitForEnds(fleet, ids);
    const { found, events } = await inspectRun(fleet, ids[0] ?? "", 0);
    await link.close();
    const resumedMs = Date.parse(events.find(({ type }) => type === "resumed")?.at ?? "");
    const last = readTimes(0).findLast((ms) => ms < resumedMs) ?? 0;
    report(`the last effect before it was ${resumedMs - last} ms earlier`);
    assert.deepEqual({ found, isApart: resumedMs - last > 1_000 }, { found: WHOLE, isApart: true });
  });

  it("hands runs over at once when a worker is asked to end, and keeps two workers of one machine apart", async function () {
    skipIfLacking(this, explainNoMarks());
    const [first] = [await fleet.startWorker({ machine: "one", runs: 2 })];
    fleet.models.plan(answerWithMarks(fleet.marks, { steps: 6, seconds: 1 }));
    const ids = await sendRuns(fleet, 0, 4);
    await pause(3_000);
    await fleet.startWorker({ machine: "one", runs: 2 });
    const at = performance.now();
    const code = await first.kill("SIGTERM");
    const endedMs = performance.now() - at;
    await waitForEnds(fleet, ids);
    const all = await Promise.all(ids.map((id, run) => inspectRun(fleet, id, run)));
    const histories = await Promise.all(ids.map((id) => fleet.client.workflow.getHandle(id).fetchHistory()));
    const lost = histories
      .flatMap(({ events }) => events ?? [])
      .filter((one) => one.activityTaskTimedOutEventAttributes);
    report(`the worker ended after ${Math.round(endedMs)} ms`);
    assert.deepEqual(
      {
        code,
        isPrompt: endedMs < 30_000,
        lost: lost.length,
        found: all.map(({ found }) => found),
        blamed: all.filter(({ events }) => JSON.stringify(events).includes("The user stopped it")).length,
      },
      { code: 0, isPrompt: true, lost: 0, found: ids.map(() => WHOLE), blamed: 0 },
    );
  });

  it("shows the server neither why a stretch failed nor a path of its worker", async () => {
    const worker = await fleet.startWorker();
    const order = { version: 1, run: "20260102_030405_other_0a1b", repository: "/r", task: "Tidy.", startedAt: "" };
    const handle = await fleet.client.workflow.start(WORKFLOW, {
      workflowId: "20260102_030405_fleet_0a1c",
      taskQueue: getTaskQueue(fleet.key),
      args: [{ lives: 0 }],
      memo: { order: JSON.stringify(order) },
    });
    await assert.rejects(handle.result());
    const shown = JSON.stringify(await handle.fetchHistory());
    const found = ["output of its worker says", "for another run", process.cwd()].map((text) => shown.includes(text));
    assert.deepEqual(
      { found, said: worker.said().includes("The order is for another run.") },
      { found: [true, false, false], said: true },
    );
  });

  it("works although the clocks of its machines are an hour apart", async () => {
    const shift = (ms: number): string =>
      `--import=data:text/javascript,${encodeURIComponent(
        `const D=Date;globalThis.Date=class extends D{constructor(...a){if(a.length)super(...a);else super(D.now()+${ms})}static now(){return D.now()+${ms}}}`,
      )}`;
    const late = await fleet.startWorker({ args: ["--linger", "0"], env: { NODE_OPTIONS: shift(-3_600_000) } });
    fleet.models.plan(ASK, FINISH);
    const { id } = await fleet.engine.submit({ task: "Tidy.", folder: fleet.workspace, settings: {} }, signal);
    const asked = await readUntil(id, (event) => event.type === "asks" && event.question !== undefined);
    await fleet.startWorker({ args: ["--linger", "0"], env: { NODE_OPTIONS: shift(3_600_000) } });
    await late.kill("SIGTERM");
    if (asked?.type === "asks" && asked.question)
      await fleet.engine.decide(asked.question, { kind: "said", text: "blue" }, signal);
    await waitForEnds(fleet, [id]);
    const log = (await fleet.engine.readLog(id, signal)).join("\n");
    assert.deepEqual(
      { heard: log.includes("The user's answer: blue"), end: log.includes('"reason":"finished"') },
      { heard: true, end: true },
    );
  });

  /** Reads the events of a run until one is right. */
  async function readUntil(id: string, isIt: (event: FleetEvent) => boolean): Promise<FleetEvent | undefined> {
    const leaving = new AbortController();
    for await (const event of fleet.engine.watch(id, "", leaving.signal))
      if (isIt(event)) {
        leaving.abort();
        return event;
      }
    return undefined;
  }

  it("says that no worker is there, and that a run was ended on the server", async () => {
    const { id } = await fleet.engine.submit({ task: "Tidy.", folder: fleet.workspace, settings: {} }, signal);
    const lonely = await readUntil(id, ({ type }) => type === "connection");
    const watching = readUntil(id, () => false).catch((error: Error) => error.message);
    await fleet.client.workflow.getHandle(id).terminate();
    const ended = await watching;
    const states = (await fleet.engine.list()).map(({ state }) => state);
    assert.deepEqual(
      { lonely: lonely?.type === "connection" && lonely.why?.slice(0, 44), ended: String(ended).slice(0, 62), states },
      {
        lonely: "No worker takes runs with your fleet key the",
        ended: "The run can't continue on the fleet's workers: It has lost too",
        states: ["ended"],
      },
    );
  });

  it("keeps a run of a newer version and says why, and refuses what is too long with a sentence", async () => {
    await fleet.startWorker({ args: ["--linger", "0"] });
    const start = (id: string, order: object) =>
      fleet.client.workflow.start(WORKFLOW, {
        workflowId: id,
        taskQueue: getTaskQueue(fleet.key),
        args: [{ lives: 1 }],
        memo: { order: JSON.stringify(order) },
      });
    const newer = "20260102_030405_fleet_0a1b";
    await start(newer, { version: 2, run: newer, what: "new" });
    const view = new WorkflowView(fleet.client, newer);
    let seen = await view.look();
    while (seen.beat === undefined) seen = await view.look();
    const noise = Array.from({ length: 400_000 }, () => Math.random().toString(36).slice(2)).join("");
    fleet.models.plan(ASK, FINISH);
    const { id } = await fleet.engine.submit({ task: "Tidy.", folder: fleet.workspace, settings: {} }, signal);
    await readUntil(id, (event) => event.type === "asks" && event.question !== undefined);
    const tooLong = await fleet.engine.say(id, noise, signal).catch((error: Error) => error.message);
    const states = (await fleet.engine.list()).map(({ state }) => state);
    assert.deepEqual(
      { newer: { state: seen.state, held: seen.beat.held }, tooLong: String(tooLong).slice(0, 34), states },
      {
        newer: { state: "silent", held: "The run was sent by a newer version. Update the fleet's workers." },
        tooLong: "That is too long for Temporal, whi",
        states: ["waiting"],
      },
    );
  });

  it("says that a question is too long to be shown, and continues with words in its place", async () => {
    await fleet.startWorker({ args: ["--linger", "0"] });
    const noise = randomBytes(2_200_000).toString("base64");
    fleet.models.plan(calling("ask_user", { question: `Which color? ${noise}` }), FINISH);
    const { id } = await fleet.engine.submit({ task: "Tidy.", folder: fleet.workspace, settings: {} }, signal);
    const held = await readUntil(id, (event) => event.type === "connection" && event.isLost);
    const [listed] = await fleet.engine.list();
    await fleet.engine.say(id, "Take blue.", signal);
    await waitForEnds(fleet, [id]);
    const log = (await fleet.engine.readLog(id, signal)).join("\n");
    assert.deepEqual(
      {
        held: held?.type === "connection" && held.why,
        state: listed?.state,
        isTold: log.includes("Take blue."),
        end: log.includes('"reason":"finished"'),
      },
      {
        held: "It asks about something that is too long for Temporal, so it can't be shown. Say what it should do in place of it: autogpt fleet say RUN WORDS",
        state: "silent",
        isTold: true,
        end: true,
      },
    );
  });

  it("keeps an answer that can't be given now, and doesn't try again without a pause", async () => {
    await fleet.startWorker({ args: ["--linger", "0"] });
    fleet.models.plan(ASK, FINISH);
    const { id } = await fleet.engine.submit({ task: "Tidy.", folder: fleet.workspace, settings: {} }, signal);
    const asked = await readUntil(id, (event) => event.type === "asks" && event.question !== undefined);
    while ((await fleet.engine.find(id))?.state !== "waiting") await pause(100);
    const ref = `refs/autogpt/${id}`;
    git(fleet.origin, "update-ref", ref, `${ref}~1`);
    if (asked?.type === "asks" && asked.question)
      await fleet.engine.decide(asked.question, { kind: "said", text: "Blue." }, signal);
    await pause(5_000);
    const { events } = await fleet.client.workflow.getHandle(id).fetchHistory();
    const stretches = events?.filter((one) => one.activityTaskScheduledEventAttributes).length ?? 0;
    const { beat } = await new WorkflowView(fleet.client, id).look();
    assert.deepEqual(
      { stretches, held: beat?.held?.split(" of ")[0] },
      { stretches: 2, held: "The repository has an older state" },
    );
  });

  it("says in one sentence what is wrong with a server, a certificate, a namespace or a key", async () => {
    const port = Number(fleet.server.host.split(":")[1]);
    const [good, bad] = [
      await makeCertificates(join(fleet.top, "good")),
      await makeCertificates(join(fleet.top, "bad")),
    ];
    const links = [await openLink(port, good), await openLink(port, await makeExpiredCertificate(good))];
    const [secure, expired] = links.map((link) => `temporal://127.0.0.1:${link.port}`);
    const connect = async (place = "", env: Record<string, string> = {}, key = fleet.key): Promise<string> => {
      const opened = await connectToTemporal(parseTemporalAddress(place), key, env).catch(
        (error: Error) => error.message,
      );
      if (typeof opened === "string")
        return /reached: (.*?)(?: 127\..*|\. Check.*)$/.exec(opened)?.[1] ?? opened.split(". ")[0] ?? "";
      await opened.close();
      return "connected";
    };
    const trusted = { AUTOGPT_TEMPORAL_CA: good.authority };
    const other = join(fleet.top, "other");
    const foreign = await createFleetKey(other);
    fleet.models.plan(FINISH);
    const { id } = await fleet.engine.submit({ task: "Tidy.", folder: fleet.workspace, settings: {} }, signal);
    const { client, close } = await connectToTemporal(parseTemporalAddress(fleet.server.place), foreign, {});
    const options = {
      client,
      place: fleet.server.place,
      data: other,
      key: foreign,
      sender: "Eve",
      folder: fleet.workspace,
    };
    const eve = new TemporalEngine({ ...options, findRepository: async () => fleet.origin });
    const found = {
      secure: await connect(secure, trusted),
      untrusted: await connect(secure, { AUTOGPT_TEMPORAL_CA: bad.authority }),
      expired: await connect(expired, trusted),
      plainServer: await connect(fleet.server.place, trusted),
      nowhere: await connect(`temporal://127.0.0.1:${await freePort()}`),
      namespace: await connect(`${fleet.server.place}/team`),
      foreignList: await eve.list(),
      foreignKey: await eve.readLog(id, signal).catch((error: Error) => error.message.slice(0, 62)),
      foreignStop: await eve.stop(id, signal).catch((error: Error) => error.message.slice(0, 62)),
    };
    await close();
    for (const link of links) await link.close();
    assert.deepEqual(found, {
      secure: "connected",
      untrusted: "unable to verify the first certificate",
      expired: "certificate has expired",
      plainServer: "wrong version number",
      nowhere: "connect ECONNREFUSED",
      namespace: `The Temporal server at ${fleet.server.host} has no namespace "team"`,
      foreignList: [],
      foreignKey: "The run was sent with another fleet key than that of this mach",
      foreignStop: "The run was sent with another fleet key than that of this mach",
    });
  });
});

function report(text: string): void {
  process.stderr.write(`      ${text}\n`);
}
