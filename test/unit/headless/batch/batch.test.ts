import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { sha256 } from "../../../../src/disk/sha256.ts";
import type { FleetEngine } from "../../../../src/fleet/engine.ts";
import { stopAttempts } from "../../../../src/headless/batch/attempt-work.ts";
import { Batch, type BatchParts } from "../../../../src/headless/batch/batch.ts";
import { createBatchJournal, readBatchJournal } from "../../../../src/headless/batch/batch-journal.ts";
import type { BatchAttempt } from "../../../../src/headless/batch/batch-tasks.ts";
import type { Seal } from "../../../../src/runs/log/log-seal.ts";
import { PlayedFleet, type PlayedTask } from "../../../support/played-fleet.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const SEAL: Seal = (text) => sha256(`a key ${text}`);

const BUSY = {
  reason: "failed",
  error: "It is busy.",
  text: { code: "trouble.triedTimes", parameters: { what: "It is busy.", attempts: 6 } },
} as const;

function makeAttempts(count: number, settings: BatchAttempt["settings"] = {}): readonly BatchAttempt[] {
  return Array.from({ length: count }, (_, at) => ({
    ...{ key: `${at + 1}.1`, line: at + 1, way: 1, name: `task ${at + 1}`, task: `Task ${at + 1}`, folder: "/work" },
    settings,
  }));
}

/** Ends a program at one of its effects: right before it, or right after it. Nothing that it does later has an effect. */
class Killer {
  readonly stopping = new AbortController();
  private readonly at: number;
  private count = 0;

  constructor(at = Number.POSITIVE_INFINITY) {
    this.at = at;
  }

  get isDead(): boolean {
    return this.stopping.signal.aborted;
  }

  async act<Result>(effect: () => Promise<Result>): Promise<Result> {
    const turn = this.count;
    this.count += 1;
    if (turn === this.at) this.stopping.abort(new Error("Killed."));
    this.stopping.signal.throwIfAborted();
    const result = await effect();
    if (turn + 0.5 === this.at) this.stopping.abort(new Error("Killed."));
    return result;
  }

  wrap(engine: FleetEngine): FleetEngine {
    const { place } = engine;
    return {
      place,
      list: engine.list.bind(engine),
      find: engine.find.bind(engine),
      watch: engine.watch.bind(engine),
      readLog: engine.readLog.bind(engine),
      fetch: engine.fetch.bind(engine),
      remove: engine.remove.bind(engine),
      stop: engine.stop.bind(engine),
      decide: engine.decide.bind(engine),
      submit: (...given) => this.act(() => engine.submit(...given)),
      say: (...given) => this.act(() => engine.say(...given)),
      raise: (...given) => this.act(() => engine.raise(...given)),
    };
  }
}

describe("a batch of runs", () => {
  const tempFolder = tempFolders();
  let ids = 0;

  async function open(
    path: string,
    fleet: PlayedFleet,
    attempts: readonly BatchAttempt[],
    more: Partial<BatchParts> = {},
    killer = new Killer(),
  ): Promise<Batch> {
    const known = await readBatchJournal(path, SEAL);
    const journal = createBatchJournal(path, SEAL, known.before);
    return new Batch({
      attempts,
      known: known.attempts,
      journal: { add: (line) => killer.act(() => journal.add(line)) },
      atOnce: 4,
      usualUsd: 2,
      retries: 1,
      pauseMs: 1,
      keepsPlaces: false,
      signal: killer.stopping.signal,
      createRunId: () => `20260102_030405_batch_${String(ids++).padStart(4, "0")}`,
      openEngine: async () => killer.wrap(fleet),
      handleRow: () => undefined,
      ...more,
    });
  }

  const plan =
    (more: Partial<PlayedTask> = {}) =>
    (): PlayedTask => ({ costs: [0.1, 0.1, 0.1], ...more });

  it("continues with the other folders while the place can't be opened for one, and doesn't blame a budget", async () => {
    const fleet = new PlayedFleet(plan());
    const away = (attempt: BatchAttempt, at: number): BatchAttempt =>
      at === 1 ? { ...attempt, folder: "/away" } : attempt;
    const more = {
      openEngine: async (folder: string) => (folder === "/away" ? Promise.reject(new Error("It's away.")) : fleet),
    };
    const path = join(await tempFolder(), "batch.jsonl");
    const batch = await open(path, fleet, makeAttempts(3).map(away), more);
    await batch.run();
    const again = await open(path, fleet, makeAttempts(3));
    await again.run();
    assert.deepEqual(
      {
        rows: batch.listRows().map(({ state, end, why }) => ({ state, end, why })),
        reason: batch.haltedReason,
        later: again.listRows().map(({ end }) => end),
        sent: fleet.submitted.length,
      },
      {
        rows: [
          { state: "ended", end: "finished", why: undefined },
          { state: "unsent", end: undefined, why: "It's away." },
          { state: "ended", end: "finished", why: undefined },
        ],
        reason: undefined,
        later: ["finished", "finished", "finished"],
        sent: 3,
      },
    );
  });

  it("has each task done once, some at the same time, and counts what they did", async () => {
    const fleet = new PlayedFleet(plan());
    const batch = await open(join(await tempFolder(), "batch.jsonl"), fleet, makeAttempts(9));
    await batch.run();
    const [row] = batch.listRows();
    assert.deepEqual(
      {
        sent: fleet.submitted.length,
        atOnce: fleet.mostAtOnce <= 4,
        ends: [...new Set(batch.listRows().map(({ end }) => end))],
        row: { ...row, run: "", usd: row?.usd.toFixed(2) },
      },
      {
        sent: 9,
        atOnce: true,
        ends: ["finished"],
        row: {
          ...{ attempt: "1.1", name: "task 1", line: 1, way: 1, folder: "/work", run: "", state: "ended" },
          ...{ end: "finished", steps: 3, usd: "0.30", unpriced: 0, seconds: 0, files: 3, added: 9, removed: 3 },
          failedTests: 0,
        },
      },
    );
  });

  it("is the same batch however often its program is killed, at whatever moment", async () => {
    const attempts = makeAttempts(4);
    const troubled = (task: string): PlayedTask =>
      task === "Task 2" ? { costs: [0.1, 0.1], troubles: [BUSY] } : { costs: [0.2, 0.3] };
    const found: unknown[] = [];
    let kills = 0;
    for (let at = 0; ; at += 0.5) {
      const path = join(await tempFolder(), "batch.jsonl");
      const fleet = new PlayedFleet(troubled);
      const budget = { budgetUsd: 1.9, atOnce: 4 };
      const killer = new Killer(at);
      await (await open(path, fleet, attempts, budget, killer)).run();
      kills += killer.isDead ? 1 : 0;
      const again = await open(path, fleet, attempts, budget);
      await again.run();
      found.push({
        runs: fleet.runs.size,
        steps: [...fleet.runs.values()].map(({ steps }) => steps),
        ends: again.listRows().map(({ end }) => end),
        spent: fleet.spent.toFixed(2),
      });
      await rm(path, { force: true });
      if (!killer.isDead) break;
    }
    const same = { runs: 4, steps: [2, 2, 2, 2], ends: Array(4).fill("finished"), spent: "1.70" };
    assert.deepEqual(
      { many: kills > 20, found: [...new Set(found.map((one) => JSON.stringify(one)))] },
      { many: true, found: [JSON.stringify(same)] },
    );
  });

  it("never spends more than its budget, and gives more to the runs that need it while there is some", async () => {
    const needs = (task: string): PlayedTask => ({ costs: Array(Number(task.slice(5)) % 7).fill(0.1) });
    const found: unknown[] = [];
    for (const atOnce of [4, 50]) {
      const fleet = new PlayedFleet(needs);
      const more = { budgetUsd: 36, atOnce };
      const batch = await open(join(await tempFolder(), "batch.jsonl"), fleet, makeAttempts(200), more);
      await batch.run();
      const unfinished = batch.listRows().filter(({ state }) => state !== "ended");
      found.push({
        isWithin: fleet.spent <= 36 + 1e-9,
        isUsedWell: fleet.spent > 35,
        left: unfinished.every(({ state }) => state === "pending"),
        others: [...new Set(batch.listRows().flatMap(({ end }) => end ?? []))].toSorted(),
        halted: batch.haltedReason,
      });
    }
    const halted = "The budget over all runs is used up. Call the command again with a larger --budget to continue.";
    const kept = { isWithin: true, isUsedWell: true, left: true };
    assert.deepEqual(found, [
      { ...kept, others: ["budget", "finished"], halted },
      { ...kept, others: ["budget", "finished"], halted },
    ]);
  });

  it("gives runs a part by what the others have cost, so that more can work at once", async () => {
    const fleet = new PlayedFleet(() => ({ costs: [0.05, 0.05] }));
    const batch = await open(join(await tempFolder(), "batch.jsonl"), fleet, makeAttempts(30), { budgetUsd: 4 });
    await batch.run();
    const parts = [...fleet.runs.values()].map(({ settings }) => Number(settings["run.budgetUsd"]).toFixed(2));
    const finished = batch.listRows().filter(({ end }) => end === "finished").length;
    assert.deepEqual({ parts: [...new Set(parts)], finished }, { parts: ["1.00", "0.20"], finished: 30 });
  });

  it("continues with a larger budget what had used up the first one", async () => {
    const path = join(await tempFolder(), "batch.jsonl");
    const fleet = new PlayedFleet(plan());
    const attempts = makeAttempts(3);
    await (await open(path, fleet, attempts, { budgetUsd: 0.55 })).run();
    const first = [...fleet.runs.values()].reduce((sum, { steps }) => sum + steps, 0);
    const again = await open(path, fleet, attempts, { budgetUsd: 1 });
    await again.run();
    assert.deepEqual(
      { first, runs: fleet.runs.size, ends: again.listRows().map(({ end }) => end), spent: fleet.spent.toFixed(1) },
      { first: 5, runs: 3, ends: ["finished", "finished", "finished"], spent: "0.9" },
    );
  });

  it("begins nothing more once the price of a model isn't known", async () => {
    const fleet = new PlayedFleet(plan({ isUnpriced: true }));
    const more = { budgetUsd: 9, atOnce: 1 };
    const batch = await open(join(await tempFolder(), "batch.jsonl"), fleet, makeAttempts(5), more);
    await batch.run();
    assert.deepEqual(
      { runs: fleet.runs.size, why: batch.haltedReason?.split(",")[0] },
      { runs: 1, why: "The price of a model isn't known" },
    );
  });

  it("leaves a run at the limit that its own task names", async () => {
    const fleet = new PlayedFleet(plan());
    const attempts = makeAttempts(1, { "run.budgetUsd": 0.2 });
    const batch = await open(join(await tempFolder(), "batch.jsonl"), fleet, attempts, { budgetUsd: 9 });
    await batch.run();
    assert.deepEqual(
      batch.listRows().map(({ end, steps }) => ({ end, steps })),
      [{ end: "budget", steps: 2 }],
    );
  });

  it("continues a run after trouble of its provider, and none that ended by itself", async () => {
    const stuck = { reason: "stuck", why: "It got no further." } as const;
    const setup = { reason: "failed", error: "The key is wrong." } as const;
    const troubles: Readonly<Record<string, PlayedTask["troubles"]>> = {
      "Task 1": [BUSY],
      "Task 2": [BUSY, BUSY],
      "Task 3": [stuck],
      "Task 4": [setup],
    };
    const fleet = new PlayedFleet((task) => ({ costs: [0.1, 0.1, 0.1], troubles: troubles[task] ?? [] }));
    const batch = await open(join(await tempFolder(), "batch.jsonl"), fleet, makeAttempts(4));
    await batch.run();
    assert.deepEqual(
      batch.listRows().map(({ end, steps, why }) => ({ end, steps, why })),
      [
        { end: "finished", steps: 3, why: undefined },
        { end: "provider", steps: 2, why: "It is busy." },
        { end: "stuck", steps: 1, why: "It got no further." },
        { end: "setup", steps: 1, why: "The key is wrong." },
      ],
    );
  });

  it("continues with the others while a run waits for its user, unless each place has a part of a rate", async () => {
    const asking = (task: string): PlayedTask => ({ costs: [0.1, 0.1], asks: task === "Task 1" });
    const ends: unknown[] = [];
    for (const keepsPlaces of [false, true]) {
      const fleet = new PlayedFleet(asking);
      const killer = new Killer();
      const path = join(await tempFolder(), "batch.jsonl");
      const settled = Promise.withResolvers<void>();
      const handleRow = (): void => {
        const states = batch.listRows().map(({ state }) => state);
        const isSettled = keepsPlaces ? states[0] === "waiting" : states.slice(1).every((state) => state === "ended");
        if (isSettled) settled.resolve();
      };
      const more = { atOnce: 1, keepsPlaces, handleRow };
      const batch: Batch = await open(path, fleet, makeAttempts(3), more, killer);
      const going = batch.run();
      await settled.promise;
      // Time to begin the next one, if it did that.
      for (let at = 0; at < 50; at++) await turn();
      const others = batch.listRows().map(({ state }) => state);
      const question = batch.listRows()[0]?.question;
      const [first = ""] = fleet.runs.keys();
      const binding = { run: first, attempt: 1, id: "q-1", hash: "a".repeat(64), expiresMs: 9e12 };
      await fleet.decide({ binding, text: "" }, { kind: "said", text: "left" }, killer.stopping.signal);
      await going;
      ends.push({ question, others, ends: batch.listRows().map(({ end }) => end) });
    }
    const all = ["finished", "finished", "finished"];
    assert.deepEqual(ends, [
      { question: "Left or right?", others: ["waiting", "ended", "ended"], ends: all },
      { question: "Left or right?", others: ["waiting", "pending", "pending"], ends: all },
    ]);
  });

  it("stops sending when nothing can be sent, and sends it as the same runs when it's called again", async () => {
    const path = join(await tempFolder(), "batch.jsonl");
    const fleet = new PlayedFleet(plan());
    const attempts = makeAttempts(9);
    const refusing = Object.assign(new Killer().wrap(fleet), {
      submit: async () => Promise.reject(new Error("box can't be reached.")),
    });
    const batch = await open(path, fleet, attempts, { openEngine: async () => refusing, atOnce: 1 });
    await batch.run();
    const before = batch.listRows().map(({ state, why }) => ({ state, why }));
    const known = [...(await readBatchJournal(path, SEAL)).attempts.values()].map(({ run }) => run);
    const again = await open(path, fleet, attempts);
    await again.run();
    assert.deepEqual(
      {
        unsent: before.filter(({ state }) => state === "unsent").length,
        halted: batch.haltedReason,
        sameRuns: known.every((run) => fleet.runs.has(run)),
        runs: fleet.runs.size,
      },
      {
        unsent: 3,
        halted: "3 tasks in a row couldn't be sent: box can't be reached.",
        sameRuns: true,
        runs: 9,
      },
    );
  });

  it("isn't continued with a state that something else has changed, and skips a line that was torn", async () => {
    const path = join(await tempFolder(), "batch.jsonl");
    await (await open(path, new PlayedFleet(plan()), makeAttempts(2))).run();
    const whole = await readFile(path, "utf8");
    const lines = whole.split("\n").filter((line) => line !== "");
    const changes: Readonly<Record<string, string>> = {
      torn: `${whole}\n{"type":"sending","attem`,
      added: `${whole}\n{"type":"raising","attempt":"1.1","usd":1000,"held":3}\n`,
      other: whole.replace('"end":"finished"', '"end":"budget"'),
      left: `${lines.slice(1).join("\n")}\n`,
    };
    const found: Record<string, string> = {};
    for (const [name, text] of Object.entries(changes)) {
      await writeFile(path, text);
      const read = readBatchJournal(path, SEAL).then(({ attempts }) => `${attempts.size} attempts`);
      found[name] = await read.catch((error: Error) => error.message.replace(path, "IT").slice(0, 32));
    }
    const refused = "IT was changed by something else";
    assert.deepEqual(found, { torn: "2 attempts", added: refused, other: refused, left: refused });
  });

  it("checks finished results one after the other while others work, and says why one can't be checked", async () => {
    const fleet = new PlayedFleet((task) => ({
      costs: [0.1],
      troubles: task === "Task 3" ? [{ reason: "stuck", why: "No." }] : [],
    }));
    const checked = { check: 1, files: 7, added: 5, removed: 2 };
    const checkResult: BatchParts["checkResult"] = async (_engine, run) =>
      run === [...fleet.runs.keys()][1] ? Promise.reject(new Error("The disk is full.")) : checked;
    const path = join(await tempFolder(), "batch.jsonl");
    const batch = await open(path, fleet, makeAttempts(3), { atOnce: 1, checkResult });
    await batch.run();
    const kept = (await readBatchJournal(path, SEAL)).attempts.get("1.1")?.ended;
    assert.deepEqual(
      {
        rows: batch.listRows().map(({ end, check, files, why }) => ({ end, check, files, why })),
        kept: { check: kept?.check, added: kept?.added },
      },
      {
        rows: [
          { end: "finished", check: 1, files: 7, why: undefined },
          { end: "finished", check: undefined, files: 1, why: "It couldn't be checked: The disk is full." },
          { end: "stuck", check: undefined, files: 1, why: "No." },
        ],
        kept: { check: 1, added: 5 },
      },
    );
  });

  it("asks the runs that aren't over to stop, and names those that it can't ask", async () => {
    const path = join(await tempFolder(), "batch.jsonl");
    const fleet = new PlayedFleet((task) => ({ costs: [0.1, 0.1], asks: task !== "Task 1" }));
    const attempts = makeAttempts(4);
    const killer = new Killer(8);
    const first = open(path, fleet, attempts, { atOnce: 1 }, killer);
    await (await first).run();
    const { attempts: known } = await readBatchJournal(path, SEAL);
    const waiting = [...fleet.runs.values()].filter(({ state }) => state !== "ended").map(({ id }) => id);
    const { signal } = new AbortController();
    const { stopped, problems } = await stopAttempts(attempts, known, async () => fleet, signal);
    assert.deepEqual(
      {
        stopped,
        isStopped: waiting.every((id) => fleet.runs.get(id)?.isStopped),
        ended: [...fleet.runs.values()].filter(({ state }) => state === "ended").map(({ isStopped }) => isStopped),
        problems: problems.map((text) => text.replace(/\d{8}_\S+/g, "RUN")),
      },
      {
        stopped: 2,
        isStopped: true,
        ended: [false],
        problems: ["task 4: RUN couldn't be asked. There is no run RUN"],
      },
    );
  });
});
