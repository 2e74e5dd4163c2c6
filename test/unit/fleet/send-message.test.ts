import assert from "node:assert/strict";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { setImmediate as turn } from "node:timers/promises";
import type { FleetEngine, FleetEvent } from "../../../src/fleet/engine.ts";
import { type Message, sendMessage } from "../../../src/headless/fleet/send-message.ts";
import { sampleStart } from "../../support/sample-run.ts";

const RUN = "20260102_090000_remote_a1b2";

function makeLine(seq: number, body: object): FleetEvent {
  return { type: "stored", line: JSON.stringify({ seq, at: "2026-01-02T03:04:05.000Z", ...body }) };
}

const START = makeLine(0, sampleStart({ id: RUN }));
const SAID = makeLine(1, { type: "said", text: "Blue.", by: "user" });
const OVER = makeLine(1, { type: "over", end: { reason: "finished", summary: "Done." } });
const BINDING = { run: RUN, attempt: 1, id: "q-1", hash: "a".repeat(64), expiresMs: 9e12 };
const ASKS: FleetEvent = { type: "asks", question: { binding: BINDING, text: "Which color?" } };
const REFUSED: FleetEvent = { type: "refused", question: "", why: "It has no signature." };

/** A run that reports some events before a message comes, and others from then on. */
class HeardRun {
  readonly got: string[] = [];
  /** The lines that each watcher has had. */
  readonly held: number[] = [];
  readonly before: readonly FleetEvent[];
  readonly after: readonly FleetEvent[];
  private readonly arrived = Promise.withResolvers<void>();
  private readonly isOver: boolean;

  constructor({ before, after, isOver = false }: Pick<HeardRun, "before" | "after"> & { readonly isOver?: boolean }) {
    this.before = before;
    this.after = after;
    this.isOver = isOver;
  }

  async *watch(_run: string, log: string, _signal?: AbortSignal): AsyncGenerator<FleetEvent> {
    const held = log.split("\n").length - 1;
    this.held.push(held);
    yield* this.before.slice(held);
    if (this.isOver && this.got.length === 0) return;
    await this.arrived.promise;
    yield* this.after;
  }

  async take(message: string): Promise<void> {
    this.got.push(message);
    this.arrived.resolve();
  }
}

/** How the command ends, and its first words on both outputs. */
async function send(run: HeardRun, message: Partial<Message> = {}) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const { signal } = new AbortController();
  const around = { stdin: Object.assign(stdin, { isTTY: false }), stdout, stderr, data: "", signal };
  const whole: Message = {
    ...{ send: () => run.take("words"), isTaken: ({ type }) => type === "said", done: "It was said." },
    ...message,
  };
  const end = await sendMessage(run as unknown as FleetEngine, RUN, whole, around);
  stdout.end();
  stderr.end();
  return { end: end.kind, out: await text(stdout), err: await text(stderr), got: run.got };
}

describe("something that is sent to a run", () => {
  it("is done once the run has taken it", async () => {
    const run = new HeardRun({ before: [START, REFUSED, { type: "asks" }], after: [SAID] });
    assert.deepEqual(await send(run), { end: "done", out: "It was said.\n", err: "", got: ["words"] });
  });

  it("is a problem if it's refused there", async () => {
    const run = new HeardRun({ before: [START, { type: "asks" }], after: [REFUSED] });
    assert.deepEqual(await send(run), {
      ...{ end: "problem", out: "", err: "It changed nothing. It has no signature.\n", got: ["words"] },
    });
  });

  it("waits for its question if it's an answer, and is taken when that is gone", async () => {
    const run = new HeardRun({ before: [START, { type: "asks" }, ASKS], after: [{ type: "asks" }] });
    const answer: Message["answer"] = ({ text: asked }) => run.take(`blue: ${asked}`);
    assert.deepEqual(await send(run, { answer, done: "The answer was sent." }), {
      ...{ end: "done", out: "The answer was sent.\n", err: "", got: ["blue: Which color?"] },
    });
  });

  it("also counts if the run had ended", async () => {
    const run = new HeardRun({
      before: [START, OVER],
      after: [makeLine(2, { type: "said", text: "Blue.", by: "user" })],
      isOver: true,
    });
    const { end, err } = await send(run);
    assert.deepEqual({ end, err, held: run.held }, { end: "done", err: "", held: [0, 2] });
  });

  it("returns only when nothing is asked of the run's place any more, so that the connection can be closed", async () => {
    const run = new HeardRun({ before: [], after: [] });
    const arrived = Promise.withResolvers<void>();
    let calls = 0;
    run.watch = async function* (_run: string, _log: string, signal?: AbortSignal) {
      calls += 1;
      yield* [START, { type: "asks" } as const];
      await arrived.promise;
      yield SAID;
      if (signal && !signal.aborted) await once(signal, "abort");
      for (let turns = 0; turns < 5; turns++) await turn();
      calls -= 1;
    };
    const { end } = await send(run, { send: async () => arrived.resolve() });
    assert.deepEqual({ end, calls }, { end: "done", calls: 0 });
  });

  it("is sent even if the run can't be listened to, and says that nothing is known yet", async () => {
    const run = new HeardRun({ before: [], after: [] });
    run.watch = async function* () {
      yield START;
      throw new Error("It's gone.");
    };
    assert.deepEqual(await send(run), {
      ...{ end: "done", out: "It was said.\n", got: ["words"] },
      err: `It's gone. It isn't known yet whether it was taken. To follow the run: autogpt fleet watch ${RUN}\n`,
    });
  });
});
