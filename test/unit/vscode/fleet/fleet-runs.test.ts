import assert from "node:assert/strict";
import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HostedRuns } from "../../../../src/editor/panel/hosted-runs.ts";
import { getActivity } from "../../../../src/editor/panel/run-status.ts";
import { createCard } from "../../../../src/editor/review/card.ts";
import { findPendingProposal } from "../../../../src/editor/review/pending-decisions.ts";
import type { FleetAnswer, FleetEngine, FleetEvent } from "../../../../src/fleet/engine.ts";
import { CARD_BUTTON_NAMES, getCardButtonRow } from "../../../../src/schema/card-buttons.ts";
import type { AgentEventBody } from "../../../../src/schema/events.ts";
import type { AskedQuestion } from "../../../../src/schema/fleet/served.ts";
import type { Card } from "../../../../src/schema/panel-values.ts";
import { getErrorText, writeInEnglish } from "../../../../src/texts/display-text.ts";
import { FleetRuns, QueuedRun } from "../../../../src/vscode/fleet/fleet-runs.ts";
import { completeRemoteCard, type RemoteLiveRun } from "../../../../src/vscode/fleet/remote-run.ts";
import { MemoryState } from "../../../support/memory-state.ts";
import { sampleStart } from "../../../support/sample-run.ts";

const RUN = "20260102_090000_remote_a1b2";
const STARTED = sampleStart({ id: RUN, task: "Fix the parser" });
const END: AgentEventBody = { type: "over", end: { reason: "finished", summary: "Done." } };

const CARD: Card = {
  ...{ step: 1, hash: "c".repeat(64), command: "execute_shell", text: "npm test", preview: "details" },
  ...{
    rule: "shell",
    reason: "It runs a program.",
    sources: ["a page"],
    sensitive: false,
    args: { command_line: "x" },
  },
  ...{ caption: "In the sandbox of box.", influence: "It has read a page." },
};

function createLine(seq: number, event: AgentEventBody): string {
  return JSON.stringify({ seq, at: "2026-01-02T09:00:00.000Z", ...event, seal: "s" });
}

function askAbout(card: Card | undefined, text = "npm test"): AskedQuestion {
  const binding = { run: RUN, attempt: 1, id: "q-1", hash: "d".repeat(64), expiresMs: 9e12 };
  return { binding, text, ...(card ? { card } : {}) };
}

/** A machine that the test speaks for. */
class OtherMachine implements FleetEngine {
  readonly place = "ssh:box";
  readonly log: string[] = [];
  /** Numbers of lines from which on it was watched. */
  readonly watchedFrom: number[] = [];
  readonly said: unknown[] = [];
  isReachable = true;
  /** Why it can't be watched, once. */
  trouble: string | undefined;
  private news: FleetEvent[] = [];
  private wake = Promise.withResolvers<void>();

  submit: FleetEngine["submit"] = async ({ task }) => ({
    ...{ id: RUN, place: this.place, task, startedAt: "2026-01-02T09:00:00.000Z", state: "working", steps: 0 },
  });
  list: FleetEngine["list"] = async () => [];
  find: FleetEngine["find"] = async () => undefined;
  raise: FleetEngine["raise"] = async (_run, limits) => void this.said.push({ raise: limits });
  readLog: FleetEngine["readLog"] = async () => [...this.log];

  /** Reports something to the windows that watch. */
  tell(...events: FleetEvent[]): void {
    for (const event of events) if (event.type === "stored") this.log.push(event.line);
    this.news.push(...events.filter(({ type }) => type !== "stored"));
    this.wake.resolve();
    this.wake = Promise.withResolvers();
  }

  async *watch(_run: string, log: string, signal: AbortSignal): AsyncGenerator<FleetEvent> {
    if (this.trouble !== undefined) {
      const { trouble } = this;
      this.trouble = undefined;
      throw new Error(trouble);
    }
    const lines = log.split("\n").length - 1;
    this.watchedFrom.push(lines);
    for (let held = lines; !signal.aborted; ) {
      const wake = this.wake.promise;
      for (; held < this.log.length; held += 1) yield { type: "stored", line: this.log[held] ?? "" };
      for (const news of this.news.splice(0)) yield news;
      if (this.log.at(-1)?.includes('"over"')) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => resolve(), { once: true });
      await Promise.race([wake, promise]);
    }
  }

  decide: FleetEngine["decide"] = async (question, answer: FleetAnswer) => {
    if (!this.isReachable) throw new Error("box can't be reached.");
    this.said.push({ question: question.binding.id, ...answer });
  };
  say: FleetEngine["say"] = async (_run, text) => void this.said.push({ say: text });
  stop: FleetEngine["stop"] = async () => void this.said.push("stop");
  fetch: FleetEngine["fetch"] = async (run, folder) => void this.said.push({ fetch: run, folder });
  remove: FleetEngine["remove"] = async (run) => void this.said.push({ remove: run });
}

describe("a run on another machine", () => {
  const signal = AbortSignal.timeout(60_000);
  let folder: string;
  let machine: OtherMachine;
  let runs: HostedRuns;
  let state: MemoryState;

  function openFleet(): FleetRuns {
    return new FleetRuns({ runs, state, window: state, folder, createEngine: async () => machine });
  }

  async function sendRun(fleet = openFleet()) {
    machine.tell({ type: "stored", line: createLine(0, STARTED) });
    const submission = { task: "Fix the parser", folder: "/work/shop", settings: {} };
    const hosted = await fleet.send(machine, submission, signal);
    return { fleet, hosted, live: hosted.live as RemoteLiveRun };
  }

  /** Waits until something about the runs is so. */
  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const listening = [runs.onChange(() => resolve()), runs.onEvent(() => resolve())];
      await promise;
      for (const one of listening) one.dispose();
    }
  }

  async function untilAsked(live: RemoteLiveRun, question: AskedQuestion): Promise<void> {
    machine.tell({ type: "asks", question });
    await until(() => live.pending !== undefined);
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "fleet-"));
    [machine, runs, state] = [new OtherMachine(), new HostedRuns(), new MemoryState()];
  });

  afterEach(async () => {
    for (const hosted of runs.all) await hosted.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  it("is followed line by line, also by a window that is opened later, from where the last one was", async () => {
    const { hosted } = await sendRun();
    machine.tell({ type: "stored", line: createLine(1, { type: "said", text: "Go", by: "user" }) });
    await until(() => hosted.run.state.seq === 1);
    await hosted.dispose();
    await appendFile(join(folder, RUN, "run.jsonl"), '{"seq":2,"torn');
    runs = new HostedRuns();
    const again = await openFleet().open(RUN, signal);
    machine.tell({ type: "stored", line: createLine(2, END) });
    await until(() => again.run.state.end !== undefined);

    assert.deepEqual(
      {
        from: machine.watchedFrom,
        mirror: (await readFile(join(folder, RUN, "run.jsonl"), "utf8")).trimEnd().split("\n"),
        machine: again.place?.machine,
        over: openFleet().all.map(({ isOver }) => isOver),
        activity: getActivity(again),
      },
      { from: [0, 1, 2], mirror: machine.log, machine: "box", over: [true], activity: "finished" },
    );
  });

  it("is followed by two windows at once, which keep one copy of its log", async () => {
    const { fleet, hosted } = await sendRun();
    const others = new HostedRuns();
    const second = new FleetRuns({ runs: others, state, window: state, folder, createEngine: async () => machine });
    const again = await second.open(RUN, signal);
    const said = Array.from({ length: 20 }, (_one, at) => ({ type: "said", text: `Go ${at}`, by: "user" }) as const);
    for (const [at, event] of said.entries()) machine.tell({ type: "stored", line: createLine(at + 1, event) });
    machine.tell({ type: "stored", line: createLine(21, END) });
    await until(() => hosted.run.state.end !== undefined);
    await (again.live as RemoteLiveRun).settled;
    await again.dispose();
    await runs.remove(RUN);
    const later = await fleet.open(RUN, signal);

    assert.deepEqual(
      {
        ends: [hosted, again, later].map(({ run }) => run.state.end?.reason),
        copy: (await readFile(join(folder, RUN, "run.jsonl"), "utf8")).trimEnd().split("\n"),
      },
      { ends: ["finished", "finished", "finished"], copy: machine.log },
    );
  });

  it("reads again what follows a damaged line of its copy", async () => {
    const { hosted } = await sendRun();
    await hosted.dispose();
    await appendFile(join(folder, RUN, "run.jsonl"), `${createLine(0, STARTED)}\n`);
    runs = new HostedRuns();
    const again = await openFleet().open(RUN, signal);
    machine.tell({ type: "stored", line: createLine(1, END) });
    await until(() => again.run.state.end !== undefined);

    assert.deepEqual(
      { from: machine.watchedFrom.at(-1), copy: (await readFile(join(folder, RUN, "run.jsonl"), "utf8")).split("\n") },
      { from: 1, copy: [...machine.log, ""] },
    );
  });

  it("asks by the ordinary card, which can be approved and rejected, and nothing else", async () => {
    const { hosted, live } = await sendRun();
    await untilAsked(live, askAbout(CARD));
    const pending = findPendingProposal(hosted);
    const card = pending && completeRemoteCard(createCard(pending.request, { seen: false }).card, live);
    const buttons = CARD_BUTTON_NAMES.filter((name) => card && getCardButtonRow(name).isShown(card));
    const edited = await live.decide(1, { allow: true, args: { command_line: "rm" } }).catch(getErrorText);
    await live.decide(1, { allow: true });

    assert.deepEqual(
      {
        card: [card?.text, card?.caption, card?.influence, card?.sources],
        buttons,
        edited: writeInEnglish(edited ?? ""),
        said: machine.said,
        waits: live.pending,
      },
      {
        card: ["npm test", "In the sandbox of box.", "It has read a page.", ["a page"]],
        buttons: ["approve", "refuse", "openWhole"],
        edited: "A proposal from another machine can be approved or rejected, but not edited.",
        said: [{ question: "q-1", kind: "approved" }],
        waits: undefined,
      },
    );
  });

  it("gets the reason of a rejection, the answer to a question, and words in between", async () => {
    const { live } = await sendRun();
    await untilAsked(live, askAbout(CARD));
    await live.say("Use yarn");
    machine.tell({ type: "asks" });
    const question = askAbout(undefined, "Which port?");
    await untilAsked(live, { ...question, binding: { ...question.binding, id: "q-2" } });
    await live.say("8080");
    await live.say("Hurry");

    assert.deepEqual(machine.said, [
      { question: "q-1", kind: "rejected", reason: "Use yarn" },
      { question: "q-2", kind: "said", text: "8080" },
      { say: "Hurry" },
    ]);
  });

  it("stays in the list, with the reason, while no machine begins with it", async () => {
    const fleet = openFleet();
    machine.watch = async function* () {
      yield { type: "connection", isLost: true, why: "No worker is there." };
    };
    const submission = { task: "Fix the parser", folder: "/work/shop", settings: {} };
    const why = await fleet.send(machine, submission, signal).catch((error: Error) => error);

    assert.deepEqual(
      { isQueued: why instanceof QueuedRun, why: `${why}`.endsWith("No worker is there."), all: fleet.all.length },
      { isQueued: true, why: true, all: 1 },
    );
  });

  it("is stopped there if its sending is canceled, and isn't in the list then", async () => {
    const fleet = openFleet();
    const sending = new AbortController();
    fleet.onChange(() => sending.abort(new Error("Canceled.")));
    const submission = { task: "Fix the parser", folder: "/work/shop", settings: {} };
    const why = await fleet.send(machine, submission, sending.signal).catch((error: Error) => error.message);

    assert.deepEqual(
      { why, said: machine.said, all: fleet.all, removed: fleet.isRemoved(RUN) },
      { why: "Canceled.", said: ["stop"], all: [], removed: true },
    );
  });

  it("is listed, with a sentence, if its sending is canceled and it can't be stopped", async () => {
    const fleet = openFleet();
    const sending = new AbortController();
    fleet.onChange(() => sending.abort(new Error("Canceled.")));
    machine.stop = async () => Promise.reject(new Error("box is asleep."));
    const submission = { task: "Fix the parser", folder: "/work/shop", settings: {} };
    const why = await fleet.send(machine, submission, sending.signal).catch(getErrorText);

    assert.deepEqual(
      { why: writeInEnglish(why as string).endsWith("box is asleep."), all: fleet.all.map(({ id }) => id) },
      { why: true, all: [RUN] },
    );
  });

  it("is shown again by the next window if it was shown last", async () => {
    const { hosted } = await sendRun();
    runs.show(RUN);
    await hosted.dispose();
    runs = new HostedRuns();
    await openFleet().showAgain();
    const { shown } = runs;
    runs.show(undefined);
    await shown?.dispose();
    runs = new HostedRuns();
    await openFleet().showAgain();

    assert.deepEqual({ first: shown?.id, second: runs.shown }, { first: RUN, second: undefined });
  });

  it("asks nothing any more once it has ended, also before its machine is done with it", async () => {
    const end: AgentEventBody = { type: "over", end: { reason: "stopped" } };
    machine.watch = async function* (_run, log, signal) {
      if (log === "") yield { type: "stored", line: createLine(0, STARTED) };
      yield { type: "asks", question: askAbout(undefined, "Which port?") };
      yield { type: "stored", line: createLine(1, end) };
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    };
    const submission = { task: "Fix the parser", folder: "/work/shop", settings: {} };
    const hosted = await openFleet().send(machine, submission, signal);
    await until(() => hosted.run.state.end !== undefined && hosted.live?.pending === undefined);

    assert.equal(getActivity(hosted), "stopped");
  });

  it("gets higher limits, and is followed again then", async () => {
    const { hosted, live } = await sendRun();
    machine.tell({
      type: "stored",
      line: createLine(1, { type: "over", end: { reason: "exhausted", limit: "steps" } }),
    });
    await until(() => hosted.run.state.end !== undefined && !live.running);
    await live.settled;
    await hosted.place?.raise({ steps: 200 });
    live.resume();
    await live.settled;

    assert.deepEqual(
      { said: machine.said, from: machine.watchedFrom },
      { said: [{ raise: { steps: 200 } }], from: [0, 1, 2] },
    );
  });

  it("waits as before if an answer can't be sent", async () => {
    const { hosted, live } = await sendRun();
    await untilAsked(live, askAbout(CARD));
    const before = live.pending;
    machine.isReachable = false;
    const why = await live.decide(1, { allow: true }).catch(getErrorText);

    assert.deepEqual(
      { why: writeInEnglish(why ?? ""), same: live.pending === before, activity: getActivity(hosted) },
      { why: "box can't be reached.", same: true, activity: "approval" },
    );
  });

  it("asks again if the answer changed nothing there", async () => {
    const { hosted, live } = await sendRun();
    await untilAsked(live, askAbout(CARD));
    await live.decide(1, { allow: true });
    const between = live.pending;
    machine.tell({ type: "refused", question: "q-1", why: "The clock is wrong." });
    await until(() => live.pending !== undefined);

    assert.deepEqual({ between, activity: getActivity(hosted) }, { between: undefined, activity: "approval" });
  });

  it("shows no earlier trouble once it's followed again", async () => {
    const { hosted, live } = await sendRun();
    await live.suspend();
    await live.settled;
    machine.trouble = "box refuses.";
    live.resume();
    await until(() => hosted.place?.lost !== undefined);
    await live.settled;
    live.resume();

    assert.deepEqual({ lost: hosted.place?.lost, running: live.running }, { lost: undefined, running: true });
  });

  it("says while its machine can't be reached, and continues there when it's closed here", async () => {
    const { hosted } = await sendRun();
    machine.tell({ type: "connection", isLost: true, why: "box is asleep." });
    await until(() => hosted.place?.lost !== undefined);
    const lost = writeInEnglish(hosted.place?.lost ?? "");
    machine.tell({ type: "connection", isLost: false });
    await until(() => hosted.place?.lost === undefined);
    await runs.remove(RUN);

    assert.deepEqual(
      { lost, said: machine.said },
      { lost: "No connection. The run continues there. box is asleep.", said: [] },
    );
  });

  it("leaves the list with its place, continues there, and comes back with it", async () => {
    const { fleet } = await sendRun();
    await fleet.forgetPlace("ssh:other");
    const before = fleet.all.length;
    await fleet.forgetPlace("ssh:box");

    assert.deepEqual(
      { before, after: fleet.all, open: runs.all, said: machine.said, removed: fleet.isRemoved(RUN) },
      { before: 1, after: [], open: [], said: [], removed: false },
    );
  });

  it("is refused if it's the log of another run, or of no run", async () => {
    const fleet = openFleet();
    machine.tell({ type: "stored", line: createLine(0, { ...STARTED, id: "20260102_090000_other_0000" }) });
    const submission = { task: "Fix the parser", folder: "/work/shop", settings: {} };
    const other = await fleet.send(machine, submission, signal).catch(getErrorText);
    machine = new OtherMachine();
    machine.tell({ type: "stored", line: `{}\n${createLine(0, STARTED)}` });
    await fleet.forget(RUN);
    const none = await fleet.send(machine, submission, signal).catch(getErrorText);

    const sentence = "The other machine sent another run than the one that was asked for. Check which version it has.";
    assert.deepEqual(
      [other, none].map((why) => writeInEnglish(why as string)),
      [sentence, sentence],
    );
  });

  it("is fetched for the review, and then no longer listed as one of another machine", async () => {
    const { fleet } = await sendRun();
    const before = fleet.all.map(({ id }) => id);
    await fleet.fetch(RUN, signal);

    assert.deepEqual(
      { before, after: fleet.all, said: machine.said },
      { before: [RUN], after: [], said: [{ fetch: RUN, folder: "/work/shop" }] },
    );
  });
});
