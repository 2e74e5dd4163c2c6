import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FleetEngine, FleetEvent } from "../../src/fleet/engine.ts";
import { createLineReader } from "../../src/runs/log/read-log.ts";
import { createRunId } from "../../src/runs/store/run-folder.ts";
import type { AskedQuestion } from "../../src/schema/fleet/served.ts";
import type { FakeModelServer } from "../support/fake-model-server.ts";
import { calling, runProgram } from "../support/headless.ts";
import { git } from "../support/repositories.ts";

/** An engine with a place that works. */
export interface FleetUnderTest {
  readonly engine: FleetEngine;
  /** The sender's workspace, with a committed file `note.txt`. */
  readonly workspace: string;
  /** The sender's data folder. */
  readonly data: string;
  readonly server: FakeModelServer;
}

const WRITE = calling("write_to_file", { filename: "note.txt", contents: "new\n" });
const ASK = calling("ask_user", { question: "Which color?" });
const FINISH = calling("task_complete", { reason: "All tidy." });

const { signal } = new AbortController();

/** A watched run: its log so far, and how to wait for more. */
class Watched {
  log = "";
  readonly questions: AskedQuestion[] = [];
  readonly refusals: string[] = [];
  private readonly closing = new AbortController();
  private readonly events: AsyncIterator<FleetEvent>;

  constructor(engine: FleetEngine, run: string, log = "") {
    this.log = log;
    this.events = engine.watch(run, log, this.closing.signal)[Symbol.asyncIterator]();
  }

  /** Reads on until something is true. False if the run ended before. */
  async until(isDone: (event: FleetEvent) => boolean = () => false): Promise<boolean> {
    for (;;) {
      const { value, done } = await this.events.next();
      if (done) return false;
      if (value.type === "stored") this.log += `${value.line}\n`;
      if (value.type === "asks" && value.question) this.questions.push(value.question);
      if (value.type === "refused") this.refusals.push(value.why);
      if (isDone(value)) return true;
    }
  }

  /** The types of the stored events. */
  get types(): readonly string[] {
    const read = createLineReader();
    return this.log
      .split("\n")
      .slice(0, -1)
      .map((line) => read(line)?.type ?? "unreadable");
  }

  /** How it has ended so far, in order. */
  get ends(): readonly string[] {
    const read = createLineReader();
    return this.log
      .split("\n")
      .slice(0, -1)
      .flatMap((line) => {
        const event = read(line);
        return event?.type === "over" ? [event.end.reason] : [];
      });
  }

  async leave(): Promise<void> {
    this.closing.abort(new Error("The test leaves."));
    await this.events.return?.();
  }
}

const isAsked = (event: FleetEvent): boolean => event.type === "asks" && event.question !== undefined;

/** The run among those of the place, which may have others. */
async function listOnly(engine: FleetEngine, run: string) {
  return (await engine.list(signal)).filter(({ id }) => id === run);
}

/** The promises of every engine: what the editor and the command line build on. */
export function fleetEngineContract(name: string, open: () => Promise<FleetUnderTest>): void {
  describe(`runs on ${name}`, function () {
    this.timeout(180_000);

    it("work there, ask, take one answer, continue without a watcher, and come back as a review", async () => {
      const { engine, workspace, data, server } = await open();
      server.plan(WRITE, ASK, FINISH);
      const sent = await engine.submit({ task: "Tidy.", folder: workspace, settings: { "run.maxSteps": 9 } }, signal);
      const first = new Watched(engine, sent.id);
      await first.until(isAsked);
      const waiting = await listOnly(engine, sent.id);
      await first.leave();
      const second = new Watched(engine, sent.id, first.log);
      await second.until(isAsked);
      const [question] = second.questions;
      assert.ok(question);
      const forged = { ...question, binding: { ...question.binding, hash: "0".repeat(64) } };
      await engine.decide(forged, { kind: "said", text: "red" }, signal);
      await second.until((event) => event.type === "refused");
      await engine.decide(question, { kind: "said", text: "blue" }, signal);
      await second.until();
      const ended = await listOnly(engine, sent.id);
      await engine.fetch(sent.id, workspace, signal);
      const place = { baseUrl: server.baseUrl, workspace, data };
      const changes = await runProgram(place, "runs", "changes", sent.id, "--json");
      await runProgram(place, "runs", "accept", sent.id);
      assert.deepEqual(
        {
          place: sent.place,
          state: waiting.map(({ state, steps }) => ({ state, steps })),
          asked: [first.questions[0]?.text, question.text],
          refused: second.refusals.length,
          events: second.types.filter((type) => type === "started" || type === "ended" || type === "over"),
          answers: second.log.split("The user's answer: blue").length - 1 > 0,
          forged: second.log.includes("answer: red"),
          ended: ended.map(({ state, task }) => ({ state, task })),
          changed: changes.stdout
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line).file),
          note: await readFile(join(workspace, "note.txt"), "utf8"),
        },
        {
          place: engine.place,
          state: [{ state: "waiting", steps: 1 }],
          asked: ["Which color?", "Which color?"],
          refused: 1,
          events: ["started", "ended", "ended", "ended", "over"],
          answers: true,
          forged: false,
          ended: [{ state: "ended", task: "Tidy." }],
          changed: ["note.txt"],
          note: "new\n",
        },
      );
    });

    it("are one run however often they are sent, and continue with a higher budget", async () => {
      const { engine, workspace, server } = await open();
      server.plan(FINISH);
      const run = createRunId("twice", new Date());
      const submission = { run, task: "Tidy.", folder: workspace, settings: { "run.budgetUsd": 0.0001 } };
      await writeFile(join(workspace, ".env"), "KEY=kumquat");
      const { notes = [] } = await engine.submit(submission, signal);
      const watched = new Watched(engine, run);
      await watched.until();
      await engine.submit(submission, signal);
      const once = new Watched(engine, run, watched.log);
      await once.until();
      await engine.raise(run, { usd: 2 }, signal);
      const again = new Watched(engine, run, watched.log);
      await again.until();
      assert.deepEqual(
        {
          left: notes.map((note) => (typeof note === "string" ? note : note.code)),
          first: watched.ends,
          sentTwice: once.log.length - watched.log.length,
          atLast: again.ends,
          starts: again.types.filter((type) => type === "started").length,
        },
        { left: ["fleet.leftOut"], first: ["exhausted"], sentTwice: 0, atLast: ["exhausted", "finished"], starts: 1 },
      );
    });

    it("are removed once they have ended, and stay here for their review", async () => {
      const { engine, workspace, data, server } = await open();
      server.plan(ASK, WRITE, FINISH);
      const { id } = await engine.submit({ task: "Wait.", folder: workspace, settings: {} }, signal);
      const watched = new Watched(engine, id);
      await watched.until(isAsked);
      const remove = (): Promise<string> =>
        engine.remove(id, workspace, signal).then(
          () => "removed",
          (error: Error) => error.message,
        );
      const early = await remove();
      await engine.stop(id, signal);
      await watched.until();
      await engine.fetch(id, workspace, signal);
      const removed = await remove();
      const place = { baseUrl: server.baseUrl, workspace, data };
      assert.deepEqual(
        {
          early: early.includes("Stop it first"),
          removed,
          again: (await remove()).includes(id),
          there: (await engine.list(signal)).filter((run) => run.id === id),
          refs: git(workspace, "for-each-ref", "refs/autogpt"),
          here: (await runProgram(place, "runs", "list")).stdout.includes(id),
        },
        { early: true, removed: "removed", again: true, there: [], refs: "", here: true },
      );
    });

    it("stop when they are asked to, and continue with words", async () => {
      const { engine, workspace, server } = await open();
      server.plan(ASK, FINISH);
      const { id } = await engine.submit({ task: "Wait.", folder: workspace, settings: {} }, signal);
      const watched = new Watched(engine, id);
      await watched.until(isAsked);
      await engine.stop(id, signal);
      await watched.until();
      const stopped = watched.types.at(-1);
      await engine.say(id, "Mind the blue one.", signal);
      const again = new Watched(engine, id, watched.log);
      await again.until();
      assert.deepEqual(
        { stopped, last: again.types.at(-1), heard: again.log.includes("Mind the blue one.") },
        { stopped: "over", last: "over", heard: true },
      );
    });
  });
}
