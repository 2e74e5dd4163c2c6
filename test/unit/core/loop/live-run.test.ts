import assert from "node:assert/strict";
import { once } from "node:events";
import type { RunContext } from "../../../../src/core/commands/command.ts";
import { createCommandSet } from "../../../../src/core/commands/command-set.ts";
import type { Outcome } from "../../../../src/core/commands/outcome.ts";
import type { LiveRun } from "../../../../src/core/loop/live-run.ts";
import type { PendingInput } from "../../../../src/core/loop/user-requests.ts";
import { ModelError } from "../../../../src/core/ports/model.ts";
import { LogError, type RunLog } from "../../../../src/core/ports/storage.ts";
import type { AgentEvent } from "../../../../src/schema/events.ts";
import { fakeCommands } from "../../../support/fake-commands.ts";
import { FakeModel, says } from "../../../support/fake-model.ts";
import { MemoryLog } from "../../../support/memory-log.ts";
import { ofType, outcomes, rehearsal, rehearse, types } from "../../../support/rehearsal.ts";
import { NO_LIMITS } from "../../../support/sample-run.ts";

const FINISH = says("task_complete", { title: "Done." });
const look = (title: string) => says("read_note", { title });

/** Resolves when something new waits for the user. */
function waits(live: LiveRun): Promise<PendingInput> {
  return new Promise((resolve) => {
    const stop = live.onPending(() => {
      if (!live.pending) return;
      stop();
      resolve(live.pending);
    });
  });
}

/** Resolves when the run has written an event of this type. */
function happens(live: LiveRun, type: AgentEvent["type"]): Promise<void> {
  return new Promise((resolve) => {
    const stop = live.run.onEvent((event) => {
      if (event.type !== type) return;
      stop();
      resolve();
    });
  });
}

describe("a proposal that waits for the user", () => {
  it("is decided once; a second decision is an error and does nothing", async () => {
    const { live, deeds } = await rehearsal({ answers: [look("a"), FINISH], approver: "user" });
    live.resume();
    await waits(live);
    const next = waits(live);
    await live.decide(1, { allow: true });
    await assert.rejects(live.decide(1, { allow: true }), {
      message: "Step 1 doesn't wait for a decision, so nothing was done.",
    });
    await next;
    await assert.rejects(live.decide(1, { allow: true }));
    await live.decide(2, { allow: true });
    assert.deepEqual([(await live.end).reason, deeds], ["finished", ["read a", "finish"]]);
  });

  it("is refused by words said to it", async () => {
    const { live, log } = await rehearsal({ answers: [look("a"), FINISH], approver: "user" });
    live.resume();
    await waits(live);
    const next = waits(live);
    await live.say("Not that.");
    await next;
    await live.stop();
    assert.deepEqual(outcomes(log.events), ["1 refused: The user says: Not that."]);
  });

  it("is shown again on request", async () => {
    const { live } = await rehearsal({ answers: [look("a")], approver: "user" });
    live.resume();
    const first = await waits(live);
    const again = waits(live);
    live.showAgain();
    const second = await again;
    await live.stop();
    assert.deepEqual([first === second, first.kind, second.kind], [false, "proposal", "proposal"]);
  });

  it("waits no longer once the run is stopped", async () => {
    const { live, deeds } = await rehearsal({ answers: [look("a")], approver: "user" });
    live.resume();
    await waits(live);
    await live.stop();
    assert.deepEqual([await live.end, live.pending, deeds], [{ reason: "stopped" }, undefined, []]);
  });
});

describe("a question to the user", () => {
  it("is answered by what is said", async () => {
    const { live, log } = await rehearsal({ answers: [says("ask_user", { title: "Which?" }), FINISH] });
    live.resume();
    const waiting = await waits(live);
    await live.say("The left one.");
    await live.end;
    assert.deepEqual(
      [waiting.kind === "question" && waiting.text, outcomes(log.events)[0]],
      ["Which?", "1 done: The user answers: The left one."],
    );
  });

  it("cannot be decided", async () => {
    const { live } = await rehearsal({ answers: [says("ask_user", { title: "Which?" })] });
    live.resume();
    await waits(live);
    await assert.rejects(live.decide(1, { allow: true }));
    await live.stop();
  });
});

describe("words said while the agent works", () => {
  it("are in the next prompt, in their order", async () => {
    const model = new FakeModel([look("a"), look("b"), FINISH]);
    const { live } = await rehearsal({ answers: [], model });
    live.run.onEvent((event) => {
      if (event.type !== "began" || event.step !== 1) return;
      void live.say("one");
      void live.say("two");
    });
    live.resume();
    await live.end;
    const words = model.requests.map(({ messages }) =>
      messages.filter(({ content }) => content.startsWith("The user says")).map(({ content }) => content),
    );
    assert.deepEqual(words, [
      [],
      ["The user says: one", "The user says: two"],
      ["The user says: one", "The user says: two"],
    ]);
  });

  it("are kept when the run is stopped", async () => {
    const { live, run } = await rehearsal({ answers: [look("a")], approver: "user" });
    live.resume();
    await waits(live);
    await live.stop();
    await live.say("later");
    assert.deepEqual(run.state.queued, ["later"]);
  });

  it("set a finished or stuck run going again", async () => {
    const { live, deeds } = await rehearse({ answers: [FINISH, look("a"), FINISH] });
    await live.say("And the cellar?");
    await live.end;
    assert.deepEqual(deeds, ["finish", "read a", "finish"]);
  });
});

describe("a run that is resumed while its end is being written", () => {
  it("continues after that end, and its log says so", async () => {
    const kept = new MemoryLog();
    let overs = 0;
    const log: RunLog = {
      sync: () => kept.sync(),
      close: () => kept.close(),
      append(event) {
        if (event.type === "over" && overs++ === 0) live.resume();
        return kept.append(event);
      },
    };
    const start = { limits: { ...NO_LIMITS, steps: 1 } };
    const { live } = await rehearsal({ answers: [look("a")], log, start });
    live.resume();
    await live.end;
    await live.end;
    assert.equal(types(kept.events.slice(5)), "ended over resumed over");
  });
});

describe("a pause", () => {
  it("comes after the current step, and ends when the run is resumed", async () => {
    const { live, log } = await rehearsal({ answers: [look("a"), FINISH] });
    const began = happens(live, "began");
    const paused = happens(live, "paused");
    live.resume();
    await began;
    live.pause("Tea.");
    await paused;
    const state = [live.run.state.paused, live.running, outcomes(log.events).length];
    live.resume();
    assert.deepEqual([state, (await live.end).reason], [["Tea.", true, 1], "finished"]);
  });

  it("is caused by trouble with the model where someone is there to help", async () => {
    const model = new FakeModel([new ModelError("busy", "Overloaded. Try later."), FINISH]);
    const { live } = await rehearsal({ answers: [], model, pausesOnTrouble: true });
    const paused = happens(live, "paused");
    live.resume();
    await paused;
    const why = live.run.state.paused;
    live.resume();
    assert.deepEqual([why, (await live.end).reason], ["Overloaded. Try later.", "finished"]);
  });

  it("is made of an agent that goes round in circles, and left by a word to it", async () => {
    const { live, log } = await rehearsal({
      answers: [look("a"), look("a"), look("a"), look("a"), FINISH],
      pausesOnTrouble: true,
    });
    const paused = happens(live, "paused");
    live.resume();
    await paused;
    const atPause = log.events.map(({ type }) => type).slice(-2);
    await live.say("Look elsewhere.");
    assert.deepEqual(
      {
        end: (await live.end).reason,
        atPause,
        after: types(log.events).includes("paused said resumed asked"),
      },
      { end: "finished", atPause: ["ended", "paused"], after: true },
    );
  });

  it("isn't made of an error that isn't the model's", async () => {
    const { live, log } = await rehearsal({ answers: [new TypeError("a bug")], pausesOnTrouble: true });
    live.resume();
    assert.deepEqual(
      { end: await live.end, paused: ofType(log.events, "paused").length },
      { end: { reason: "crashed", error: "a bug" }, paused: 0 },
    );
  });
});

describe("resuming", () => {
  it("does nothing to a run that is already running", async () => {
    const { live, log } = await rehearsal({ answers: [look("a"), FINISH] });
    live.resume();
    const { end } = live;
    live.resume();
    await end;
    assert.deepEqual(
      { isSameEnd: live.end === end, running: live.running, last: log.events.at(-1)?.type },
      { isSameEnd: true, running: false, last: "over" },
    );
  });

  it("is done by a word to an agent that was stuck", async () => {
    const same = look("a");
    const { live, model } = await rehearsal({ answers: [same, same, same, same, FINISH] });
    live.resume();
    const before = (await live.end).reason;
    await live.say("Look elsewhere.");
    const after = (await live.end).reason;
    assert.deepEqual(
      { before, after, requests: model.requests.length },
      { before: "stuck", after: "finished", requests: 5 },
    );
  });

  it("isn't done by a word to a run that has spent its budget", async () => {
    const { live } = await rehearsal({ answers: [look("a")], start: { limits: { ...NO_LIMITS, steps: 1 } } });
    live.resume();
    const { reason } = await live.end;
    await live.say("Go on.");
    assert.deepEqual({ reason, running: live.running }, { reason: "exhausted", running: false });
  });
});

describe("suspending", () => {
  it("stops without an end in the log, so that the run can be resumed", async () => {
    const { live, log } = await rehearsal({ answers: [says("wait_note", { title: "a" })] });
    const began = happens(live, "began");
    live.resume();
    await began;
    await live.suspend();
    assert.deepEqual(
      { end: (await live.end).reason, over: ofType(log.events, "over").length },
      { end: "stopped", over: 0 },
    );
  });

  it("leaves a command that it ended to the interruptions, while the user's stop is its outcome", async () => {
    const endBy = async (act: "suspend" | "stop"): Promise<string> => {
      const outcome: Outcome = { status: "failed", error: "It was stopped." };
      const running = Promise.withResolvers<void>();
      const commands = {
        ...createCommandSet(fakeCommands([])),
        run: async (_: unknown, { signal }: RunContext) => {
          running.resolve();
          await once(signal, "abort");
          return outcome;
        },
      };
      const { live, log } = await rehearsal({ answers: [says("wait_note", { title: "a" })], parts: { commands } });
      live.resume();
      await running.promise;
      await live[act]();
      return types(log.events).split(" ").slice(-2).join(" ");
    };
    assert.deepEqual(
      { suspend: await endBy("suspend"), stop: await endBy("stop") },
      { suspend: "decided began", stop: "ended over" },
    );
  });
});

describe("stopping", () => {
  it("ends a model call", async () => {
    const model = new FakeModel([
      async (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    ]);
    const { live, log } = await rehearsal({ answers: [], model });
    const asked = happens(live, "asked");
    live.resume();
    await asked;
    await live.stop();
    assert.deepEqual(log.events.at(-1)?.type === "over" && (await live.end), { reason: "stopped" });
  });

  it("ends a command that runs", async () => {
    const output = Promise.withResolvers<void>();
    const { live, deeds } = await rehearsal({
      answers: [says("wait_note", { title: "a" })],
      parts: { reportOutput: () => output.resolve() },
    });
    live.resume();
    await output.promise;
    await live.stop();
    assert.deepEqual([await live.end, deeds], [{ reason: "stopped" }, ["wait a"]]);
  });

  it("lets no command begin that has not begun yet", async () => {
    const { live, deeds } = await rehearsal({ answers: [says("write_note", { title: "a" })] });
    const began = happens(live, "began");
    live.resume();
    await began;
    await live.stop();
    assert.deepEqual([await live.end, deeds], [{ reason: "stopped" }, []]);
  });

  it("ends a pause", async () => {
    const { live } = await rehearsal({ answers: [look("a")] });
    const paused = happens(live, "paused");
    live.resume();
    live.pause();
    await paused;
    await live.stop();
    assert.deepEqual(await live.end, { reason: "stopped" });
  });
});

describe("stopping nothing", () => {
  it("does nothing to a run that never went", async () => {
    const { live } = await rehearsal({ answers: [] });
    await live.stop();
    await assert.rejects(live.end, { message: "The run has not been started yet. Call resume() first." });
  });
});

describe("trouble with the log", () => {
  it("is reported to listeners, though no event says that the run is over", async () => {
    const { live } = await rehearsal({
      answers: [FINISH],
      log: {
        append: async (event) => {
          if (event.seq === 0) return event;
          throw new LogError("The disk is full. Free some space.");
        },
        sync: async () => undefined,
        close: async () => undefined,
      },
    });
    const heard: boolean[] = [];
    live.onPending(() => heard.push(live.running));
    live.resume();
    await live.end;
    assert.deepEqual(heard, [false]);
  });

  it("ends the run as failed, with what to do, and nothing is run that was not written", async () => {
    const { live, log, deeds } = await rehearsal({ answers: [says("write_note", { title: "a" }), FINISH] });
    log.append = async (event) => {
      if (event.type === "began") throw new LogError("The disk is full. Free some space.");
      log.events.push(event);
      return event;
    };
    live.resume();
    assert.deepEqual([await live.end, deeds], [{ reason: "failed", error: "The disk is full. Free some space." }, []]);
  });
});
