import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { exportFleetKey } from "../../src/fleet/key.ts";
import { createLineReader } from "../../src/runs/log/read-log.ts";
import { explainNoWalls, skipIfLacking } from "../support/fleet-needs.ts";
import { calling } from "../support/headless.ts";
import { git } from "../support/repositories.ts";
import { buildWorker, explainNoMarks, startTemporalFleet, type TemporalFleet } from "../support/temporal-fleet.ts";
import { answerWithMarks, inspectRun, nameRun, sendRuns, WHOLE, waitForEnds } from "../support/temporal-runs.ts";
import { explainNoTemporal } from "../support/temporal-server.ts";

const isFull = process.env.FLEET_FULL === "1";
const RESTARTS = Number(process.env.FLEET_RESTARTS ?? (isFull ? 20 : 3));
const ANSWERS = Number(process.env.FLEET_ANSWERS ?? (isFull ? 40 : 15));
const PLANTED = 200;
const RESERVED_BYTES = 4 * 2 ** 30;
const { signal } = new AbortController();
const ASK = calling("ask_user", { question: "Which color?" });
const FINISH = calling("task_complete", { reason: "All tidy." });

describe("the numbers of a fleet on Temporal", function () {
  this.timeout(0);
  let fleet: TemporalFleet;

  before(async function () {
    skipIfLacking(this, explainNoTemporal(), await explainNoWalls());
    skipIfLacking(this, explainNoMarks());
    buildWorker();
  });
  beforeEach(async () => {
    fleet = await startTemporalFleet();
  });
  afterEach(() => fleet?.stop());

  it("are small for a run of twelve steps: its history, and the server's processor time", async () => {
    const runs = 4;
    await fleet.startWorker();
    fleet.models.plan(answerWithMarks(fleet.marks, { steps: 12 }));
    await waitForEnds(fleet, await sendRuns(fleet, 0, 1));
    const before = fleet.server.readProcessorMs();
    const ids = await sendRuns(fleet, 1, runs);
    await waitForEnds(fleet, ids);
    const processorMs = Math.round((fleet.server.readProcessorMs() - before) / runs);
    const { events, bytes } = await measureHistory(ids[0]);
    report(`history of a run: ${events} events, ${bytes} bytes; server: ${processorMs} ms`);
    assert.deepEqual(
      { events, bytes: bytes <= 2_000, processor: processorMs <= 200 },
      { events: 11, bytes: true, processor: true },
    );
  });

  it("are small for each question: four events while its worker waits, ten afterward", async () => {
    const counts: number[] = [];
    for (const linger of ["60", "0"]) {
      const worker = await fleet.startWorker({ args: ["--linger", linger] });
      const [few, more] = [await askTimes(1), await askTimes(4)];
      counts.push((more - few) / 3);
      await worker.kill("SIGTERM");
    }
    report(`events of a further question: ${counts[0]} if it is answered soon, ${counts[1]} later`);
    assert.deepEqual(counts, [4, 10]);
  });

  /** The events of a run that asks some questions. Nobody watches it live. */
  async function askTimes(count: number): Promise<number> {
    fleet.models.plan(...Array.from({ length: count }, () => ASK), FINISH);
    const { id } = await fleet.engine.submit({ task: "Ask.", folder: fleet.workspace, settings: {} }, signal);
    for (let answered = 0; answered < count; answered++) {
      await waitForHistory(id, answered);
      await fleet.engine.say(id, "blue", signal);
    }
    await waitForEnds(fleet, [id]);
    return (await measureHistory(id)).events;
  }

  /** Waits until a run waits again after some answers. */
  async function waitForHistory(id: string, answered: number): Promise<void> {
    for (;;) {
      const run = (await fleet.engine.list()).find((one) => one.id === id);
      if (run?.state === "waiting" && run.steps === answered) return pause(500);
      await pause(100);
    }
  }

  it("are quick: an event reaches its watcher, and an answer has an effect", async () => {
    await fleet.startWorker();
    const questions = Array.from({ length: ANSWERS }, (_, at) => calling("ask_user", { question: `Color ${at}?` }));
    fleet.models.plan(...questions, FINISH);
    const { id } = await fleet.engine.submit({ task: "Ask.", folder: fleet.workspace, settings: {} }, signal);
    const read = createLineReader();
    const [shown, answered]: [number[], number[]] = [[], []];
    let decidedMs = 0;
    for await (const event of fleet.engine.watch(id, "", signal)) {
      const stored = event.type === "stored" ? read(event.line) : undefined;
      if (stored && decidedMs > 0) shown.push(Date.now() - Date.parse(stored.at));
      if (stored?.type === "ended" && decidedMs > 0) answered.push(Date.parse(stored.at) - decidedMs);
      if (event.type !== "asks" || !event.question) continue;
      decidedMs = Date.now();
      await fleet.engine.decide(event.question, { kind: "said", text: "blue" }, signal);
    }
    const p95 = (values: readonly number[]): number =>
      values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? -1;
    report(`p95: ${p95(shown)} ms from an event to its watcher, ${p95(answered)} ms from an answer to its effect`);
    assert.deepEqual({ shown: p95(shown) <= 300, answered: p95(answered) <= 500 }, { shown: true, answered: true });
  });

  it("grow with the workers, where steps wait a second", async () => {
    const speeds: number[] = [];
    let from = 0;
    for (const count of [1, 2, 4]) {
      const workers = await Promise.all(Array.from({ length: count }, () => fleet.startWorker({ runs: 1 })));
      fleet.models.plan(answerWithMarks(fleet.marks, { steps: 3 }));
      await waitForEnds(fleet, await sendRuns(fleet, from, count));
      fleet.models.plan(answerWithMarks(fleet.marks, { steps: 7, seconds: 1 }));
      const at = performance.now();
      await waitForEnds(fleet, await sendRuns(fleet, from + count, 8));
      speeds.push(8_000 / (performance.now() - at));
      from += count + 8;
      await Promise.all(workers.map((worker) => worker.kill("SIGTERM")));
    }
    const [one = 1, two = 0, four = 0] = speeds;
    report(`2 and 4 workers: ${(two / one).toFixed(2)} and ${(four / one).toFixed(2)} times one`);
    assert.deepEqual({ two: two / one >= 1.7, four: four / one >= 3.2 }, { two: true, four: true });
  });

  it("are small for each further run in a worker's memory", async () => {
    const worker = await fleet.startWorker({ runs: 9 });
    fleet.models.plan(answerWithMarks(fleet.marks, { steps: 12, asksAt: 8 }));
    const [first] = await sendRuns(fleet, 0, 1);
    await waitForWaiting(1);
    const one = readMemory(worker.child.pid);
    await sendRuns(fleet, 1, 8);
    await waitForWaiting(9);
    const perRun = Math.round((readMemory(worker.child.pid) - one) / 8);
    report(`memory: ${one} MB with one run, ${perRun} MB for each further one`);
    assert.deepEqual({ first: first !== undefined, perRun: perRun <= 150 }, { first: true, perRun: true });
  });

  it("leave nothing in a worker's memory once they have ended", async () => {
    const snapshots = join(fleet.top, "snapshots");
    mkdirSync(snapshots);
    const env = { NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${snapshots}` };
    const { child } = await fleet.startWorker({ runs: 2, env });
    fleet.models.plan(answerWithMarks(fleet.marks, { steps: 3 }));
    await waitForEnds(fleet, await sendRuns(fleet, 0, 8));
    // A snapshot begins with a collection of all garbage.
    child.kill("SIGUSR2");
    while (readdirSync(snapshots).every((name) => statSync(join(snapshots, name)).size === 0)) await pause(500);
    const kept = countReservations(child.pid);
    report(`${kept} WebAssembly memories after eight runs`);
    assert.deepEqual({ few: kept < 8 }, { few: true });
  });

  async function waitForWaiting(count: number): Promise<void> {
    while ((await fleet.engine.list()).filter(({ state }) => state === "waiting").length < count) await pause(200);
  }

  it("lose nothing when the server is killed, and continue soon after its start", async () => {
    await fleet.startWorker({ args: ["--linger", "5"] });
    let waiting = ASK;
    const works = answerWithMarks(fleet.marks, { steps: 12 + RESTARTS * 12, seconds: 0.3 });
    fleet.models.plan((request) => (JSON.stringify(request.body).includes("Wait for") ? waiting : works(request)));
    const settings = { "run.maxSteps": 900, "run.budgetUsd": 0 };
    const asks = await fleet.engine.submit({ task: "Wait for it.", folder: fleet.workspace, settings: {} }, signal);
    const { id } = await fleet.engine.submit({ task: nameRun(0), folder: fleet.workspace, settings }, signal);
    const backMs: number[] = [];
    const arrived: number[] = [];
    const following = follow(id, arrived);
    while (arrived.length < 20) await pause(50);
    for (let at = 0; at < RESTARTS; at++) {
      await fleet.server.kill();
      await pause(Math.random() * 1_000);
      const startMs = performance.now();
      await fleet.server.start();
      while ((arrived.at(-1) ?? 0) < startMs) await pause(20);
      backMs.push(Math.round((arrived.find((ms) => ms > startMs) ?? 0) - startMs));
      await pause(1_500);
    }
    waiting = FINISH;
    await fleet.engine.say(asks.id, "blue", signal);
    await waitForEnds(fleet, [asks.id, id]);
    await following;
    const { found } = await inspectRun(fleet, id, 0);
    const answered = (await fleet.engine.readLog(asks.id, signal)).join("").includes("The user's answer: blue");
    report(`${RESTARTS} kills of the server, an event again ${Math.max(...backMs)} ms after its start at most`);
    assert.deepEqual(
      { found, answered, isBack: backMs.every((ms) => ms <= 5_000) },
      { found: WHOLE, answered: true, isBack: true },
    );
  });

  /** Writes down when the events of a run arrive. */
  async function follow(id: string, arrived: number[]): Promise<void> {
    for await (const event of fleet.engine.watch(id, "", signal))
      if (event.type === "stored") arrived.push(performance.now());
  }

  it("show nothing of a run in the server's database, but its ID, times and states", async () => {
    const planted = Array.from(
      { length: PLANTED },
      (_, at) => `plant-${at}-${Math.random().toString(36).slice(2, 12)}`,
    );
    const take = (from: number): string => planted.slice(from, from + 40).join(" ");
    writeFileSync(join(fleet.workspace, "note.txt"), take(0));
    git(fleet.workspace, "commit", "-qam", "Planted");
    await fleet.startWorker();
    const write = calling("write_to_file", { filename: "made.txt", contents: take(40) });
    fleet.models.plan(
      calling("execute_shell", { command_line: "cat note.txt" }),
      write,
      calling("ask_user", { question: take(80) }),
      FINISH,
    );
    const { id } = await fleet.engine.submit({ task: take(120), folder: fleet.workspace, settings: {} }, signal);
    for await (const event of fleet.engine.watch(id, "", signal))
      if (event.type === "asks" && event.question)
        await fleet.engine.decide(event.question, { kind: "said", text: take(160) }, signal);
    const log = (await fleet.engine.readLog(id, signal)).join("\n");
    const key = (await exportFleetKey(fleet.data)).split(" ")[1] ?? "";
    await fleet.server.kill();
    const stored = ["", "-wal", "-shm"]
      .map((end) => `${fleet.server.database}${end}`)
      .filter((file) => existsSync(file));
    const bytes = Buffer.concat(stored.map((file) => readFileSync(file)));
    const isStored = (text: string): boolean =>
      [text, Buffer.from(text).toString("base64").slice(0, -4)].some((one) => bytes.includes(one));
    assert.deepEqual(
      {
        inLog: planted.filter((text) => log.includes(text)).length,
        id: isStored(id),
        found: [...planted, key, "a-test-key", fleet.origin].filter(isStored),
      },
      { inLog: PLANTED, id: true, found: [] },
    );
  });

  async function measureHistory(id = ""): Promise<{ readonly events: number; readonly bytes: number }> {
    const { raw } = await fleet.client.workflow.getHandle(id).describe();
    const { historyLength, historySizeBytes } = raw.workflowExecutionInfo ?? {};
    return { events: Number(historyLength), bytes: Number(historySizeBytes) };
  }
});

/** WebAssembly memories of a process: for each, V8 reserves addresses. Each run has two while it works. */
function countReservations(pid: number | undefined): number {
  const ranges = readFileSync(`/proc/${pid}/maps`, "utf8").matchAll(/^([0-9a-f]+)-([0-9a-f]+) ---p/gm);
  return [...ranges].filter(([, from = "", to = ""]) => Number(`0x${to}`) - Number(`0x${from}`) > RESERVED_BYTES)
    .length;
}

/** The memory of a process now, in megabytes. */
function readMemory(pid: number | undefined): number {
  const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

function report(text: string): void {
  process.stderr.write(`      ${text}\n`);
}
