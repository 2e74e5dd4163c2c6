import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { fleetEngineContract } from "../contract/fleet-engine.contract.ts";
import { explainNoWalls, skipIfLacking } from "../support/fleet-needs.ts";
import { sendPicture } from "../support/sent-picture.ts";
import { buildWorker, explainNoMarks, startTemporalFleet, type TemporalFleet } from "../support/temporal-fleet.ts";
import { answerWithMarks, inspectRun, sendRuns, WHOLE, waitForEnds } from "../support/temporal-runs.ts";
import { explainNoTemporal } from "../support/temporal-server.ts";

const isFull = process.env.FLEET_FULL === "1";
const readCount = (name: string, small: number, full: number): number =>
  Number(process.env[name] ?? (isFull ? full : small));
const RUNS = readCount("FLEET_RUNS", 12, 500);
const KILLS = readCount("FLEET_KILLS", 4, 100);
const STEPS = 12;

describe("a fleet on Temporal", function () {
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

  fleetEngineContract("Temporal", async () => {
    await fleet.startWorker();
    return { ...fleet, server: fleet.models };
  });

  it("shows the model of a worker the picture that the command line has sent with a task", async () => {
    await fleet.startWorker();
    const sent = { ...fleet, server: fleet.models };
    const found = await sendPicture(sent, "--on", fleet.server.place, "--repository", fleet.origin);
    assert.deepEqual(found, { code: 0, isShown: true, said: "It shows a square." });
  });

  it("ends all runs as declared, with no effect begun twice, however its workers are killed", async function () {
    skipIfLacking(this, explainNoMarks());
    fleet.models.plan(answerWithMarks(fleet.marks, { steps: STEPS }));
    let isOver = false;
    let kills = 0;
    const keepKilling = async (machine: string): Promise<void> => {
      while (!isOver) {
        const worker = await fleet.startWorker({ machine });
        const wait = Math.random() * 8_000;
        const isLeft = kills < KILLS;
        if (isLeft) kills += 1;
        await Promise.race([ended, isLeft ? pause(wait) : ended]);
        if (isLeft) await worker.kill();
      }
    };
    const ids = await sendRuns(fleet, 0, RUNS);
    const ended = waitForEnds(fleet, ids).then(() => {
      isOver = true;
    });
    await Promise.all([keepKilling("a"), keepKilling("b")]);
    const inspected = [];
    for (const [at, id] of ids.entries()) inspected.push(await inspectRun(fleet, id, at));
    const interruptions = inspected.reduce((sum, one) => sum + one.interruptions, 0);
    report(`${RUNS} runs, ${kills} kills, ${interruptions} steps declared interrupted`);
    assert.deepEqual(
      inspected.map(({ found }) => found),
      ids.map(() => WHOLE),
    );
  });
});

function report(text: string): void {
  process.stderr.write(`      ${text}\n`);
}
