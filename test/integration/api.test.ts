import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { createPreparedCall } from "../../src/core/commands/command.ts";
import { FakeModel, says } from "../support/fake-model.ts";
import { decideWhenAsked, ourApi, until } from "./our-api.ts";

const ALLOW = { allow: true } as const;
const FINISH = says("task_complete", { reason: "Done." });

const shell = (line: string) => says("execute_shell", { command_line: line });

describe("a run that another extension starts", () => {
  it("thinks with the model it was given, and ends once its proposals are decided", async () => {
    const api = await ourApi();
    const model = new FakeModel([shell("echo hello"), FINISH]);
    const seen: string[] = [];
    const listening = api.onEvent(({ event }) => {
      if (event.type !== "recalled") seen.push(event.type);
    });
    const handle = await api.startRun({ task: "Say hello", model });
    await decideWhenAsked(handle, 1, ALLOW);
    await decideWhenAsked(handle, 2, ALLOW);
    const end = await handle.end;
    listening.dispose();

    const step = ["asked", "replied", "decided", "began", "ended"];
    assert.deepEqual([end, seen], [{ reason: "finished", summary: "Done." }, [...step, ...step, "over"]]);
    assert.equal((await api.runs()).find(({ id }) => id === handle.id)?.state, "finished");
  });

  it("takes one decision for one proposal, and none for a step that is over", async () => {
    const api = await ourApi();
    const handle = await api.startRun({ task: "Wait", model: new FakeModel([shell("echo a"), FINISH]) });
    await decideWhenAsked(handle, 1, ALLOW);
    await assert.rejects(handle.decide(1, ALLOW), /Step 1 doesn't wait for a decision, so nothing was done\./);
    await decideWhenAsked(handle, 2, ALLOW);
    await handle.end;

    await assert.rejects(handle.decide(2, ALLOW), /Step 2 doesn't wait for a decision, so nothing was done\./);
    assert.equal(handle.state.totals.steps, 2);
  });

  it("works as its profile says, and never with a model of a provider that isn't set up", async () => {
    const api = await ourApi();
    const model = new FakeModel([{ text: "Thought: All is said.\nFinal Answer: Done." }]);
    const profile = { strategy: "react", commands: ["read_file"] } as const;
    const handle = await api.startRun({ task: "Say hello", profile, model });
    await decideWhenAsked(handle, 1, ALLOW);
    const { reason } = await handle.end;

    await assert.rejects(
      api.startRun({ task: "Say hello", profile: { model: "big@mistral" } }),
      /^ModelError: The profile names the model big@mistral, but Mistral.* isn't set up\./,
    );
    const [request] = model.requests;
    assert.deepEqual(
      [reason, request?.stop, request?.messages[0]?.content.includes("should be one of [read_file, task_complete]")],
      ["finished", ["\nObservation:"], true],
    );
  });

  it("needs a task", async () => {
    const api = await ourApi();

    await assert.rejects(api.startRun({ task: " " }), /A run needs a task/);
  });

  it("can be tried in several ways, but not in one", async () => {
    const api = await ourApi();
    const ways = [{ label: "Only", model: new FakeModel([FINISH]) }];

    assert.equal(api.version, 2);
    await assert.rejects(
      api.startRun({ task: "Try", approval: "isolated", ways }),
      /A task can have 2 to 8 attempts at once/,
    );
  });
});

describe("a store of memories that another extension brings", () => {
  it("needs a name of its own, until it's disposed", async () => {
    const api = await ourApi();
    const store = { id: "team-store", name: "Team store", open: () => assert.fail("Nothing has chosen it.") };
    const registered = api.registerMemoryStore(store);
    assert.throws(() => api.registerMemoryStore(store), /needs an id of its own/);
    registered.dispose();
    api.registerMemoryStore(store).dispose();
  });
});

/** Long enough for the policy to have judged a proposal, so that what is said is about it. */
const JUDGED_MS = 1_500;

describe("steering a run from another extension", () => {
  it("passes on to the model why a call was refused, and what was said", async () => {
    const api = await ourApi();
    const model = new FakeModel([shell("echo a"), shell("echo b"), FINISH]);
    const handle = await api.startRun({ task: "Listen", model });
    await decideWhenAsked(handle, 1, { allow: false, feedback: "Softly." });
    await until(handle, ({ open }) => open?.step === 2 && open.stage === "replied");
    await pause(JUDGED_MS);
    handle.say("Louder.");
    await decideWhenAsked(handle, 3, ALLOW);
    await handle.end;

    const told = JSON.stringify(model.requests.at(-1)?.messages);
    assert.deepEqual([told.includes("Softly."), told.includes("Louder.")], [true, true]);
  });

  it("pauses after the step and resumes when asked to", async () => {
    const api = await ourApi();
    const handle = await api.startRun({ task: "Rest", model: new FakeModel([shell("echo a"), FINISH]) });
    await until(handle, ({ open }) => open?.stage === "replied");
    handle.pause();
    await decideWhenAsked(handle, 1, ALLOW);
    await until(handle, ({ paused }) => paused !== undefined);
    const { steps } = handle.state.totals;
    handle.resume();
    await decideWhenAsked(handle, 2, ALLOW);

    assert.deepEqual([steps, (await handle.end).reason], [1, "finished"]);
  });

  it("stops it, and reopens it to resume where it was", async () => {
    const api = await ourApi();
    const { id, stop, end } = await api.startRun({
      task: "Come back",
      model: new FakeModel([shell("echo a"), FINISH]),
    });
    await stop();
    const first = await end;
    const again = await api.openRun(id);
    again.resume();
    await decideWhenAsked(again, 1, ALLOW);
    await decideWhenAsked(again, 2, ALLOW);

    assert.deepEqual([first.reason, (await again.end).reason], ["stopped", "finished"]);
  });
});

describe("a command of another extension", () => {
  it("asks before it runs, and its output is attributed to it", async () => {
    const api = await ourApi();
    const registered = api.registerCommand({
      name: "water_plants",
      description: "Waters the plants.",
      parameters: { type: "object", properties: {}, additionalProperties: false },
      aliases: [],
      category: "garden",
      effect: "none",
      prepare: async () =>
        createPreparedCall("none", "Water the plants.", async () => ({
          status: "done",
          output: "All green.",
        })),
    });
    const handle = await api.startRun({
      task: "Garden",
      model: new FakeModel([says("water_plants"), FINISH]),
    });
    await decideWhenAsked(handle, 1, ALLOW);
    await decideWhenAsked(handle, 2, ALLOW);
    await handle.end;
    registered.dispose();

    const { decided, outcome } = handle.state.recent[0] ?? {};
    assert.deepEqual(
      [decided?.by, outcome],
      ["user", { status: "done", output: "All green.", source: { kind: "tool", name: "water_plants" } }],
    );
  });
});
