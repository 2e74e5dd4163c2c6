import assert from "node:assert/strict";
import { Run } from "../../../src/core/events/run.ts";
import { ModelError } from "../../../src/core/ports/model.ts";
import { draftInRun, recordProfile } from "../../../src/runtime/profile-draft.ts";
import type { AgentEvent } from "../../../src/schema/events.ts";
import type { Sentence } from "../../../src/texts/display-text.ts";
import { FakeModel } from "../../support/fake-model.ts";
import { sampleStart } from "../../support/sample-run.ts";

const DEFAULTS = { name: "AutoGPT", role: "a developer", goals: ["Fix the roof"] };
const ANN = { name: "Ann", role: "a roofer", goals: ["Find the leak", "Fix it"] };

async function startedRun(): Promise<{ readonly run: Run; readonly events: AgentEvent[] }> {
  const events: AgentEvent[] = [];
  const log = {
    append: async (event: AgentEvent) => event,
    sync: async () => undefined,
    close: async () => undefined,
  };
  const run = await Run.start(log, sampleStart({ task: "Fix the roof", profile: DEFAULTS }));
  run.onEvent((event) => events.push(event));
  return { run, events };
}

describe("a profile that is drafted beside the first step", () => {
  it("replaces the defaults, at the run's cost", async () => {
    const { run, events } = await startedRun();
    await draftInRun(run, new FakeModel([{ text: JSON.stringify(ANN) }]));
    assert.deepEqual(
      { profile: run.state.profile, events: events.map(({ type }) => type) },
      { profile: ANN, events: ["spent", "changed"] },
    );
  });

  it("brings only goals for a profile that is used again", async () => {
    const { run } = await startedRun();
    await draftInRun(run, new FakeModel([{ text: JSON.stringify(ANN) }]), DEFAULTS);
    assert.deepEqual(run.state.profile, { ...DEFAULTS, goals: ANN.goals });
  });

  it("never replaces what the user has edited in the meantime", async () => {
    const { run } = await startedRun();
    const model = new FakeModel([
      async () => {
        await recordProfile(run, { ...DEFAULTS, name: "Bob" });
        return { text: JSON.stringify(ANN) };
      },
    ]);
    await draftInRun(run, model);
    assert.deepEqual(run.state.profile, { ...DEFAULTS, name: "Bob" });
  });

  it("leaves the defaults when the model fails or writes something else", async () => {
    const { run } = await startedRun();
    await draftInRun(run, new FakeModel([new ModelError("busy", "It's down.")]));
    await draftInRun(run, new FakeModel([{ text: "Sorry, I cannot." }]));
    assert.deepEqual(run.state.profile, DEFAULTS);
  });

  it("passes on what the server doesn't take of the settings, and nothing about the wait", async () => {
    const { run } = await startedRun();
    const warned: Sentence[] = [];
    const model = new FakeModel([
      async (_request, { notice }) => {
        notice?.("Waiting.");
        notice?.("It knows no such effort.", "warning");
        return { text: JSON.stringify(ANN) };
      },
    ]);
    await draftInRun(run, model, undefined, (text) => warned.push(text));
    assert.deepEqual(warned, ["It knows no such effort."]);
  });

  it("is given up when the run ends first", async () => {
    const { run } = await startedRun();
    const waiting = new FakeModel([
      (_request, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    ]);
    const drafting = draftInRun(run, waiting);
    await run.record({ type: "over", end: { reason: "stopped" } });
    await drafting;
    assert.deepEqual(run.state.profile, DEFAULTS);
  });
});

describe("an edited profile", () => {
  it("is recorded with what is new in it, a budget as the run's limit", async () => {
    const { run, events } = await startedRun();
    await recordProfile(run, { ...DEFAULTS, goals: [" Fix the roof", ""], budgetUsd: 0.5 });
    await recordProfile(run, { ...ANN, budgetUsd: 0.5 });
    await recordProfile(run, { ...ANN, budgetUsd: 0.5 });
    const changes = events.map((event) => (event.type === "changed" ? Object.keys(event).toSorted() : []));
    assert.deepEqual(
      { changes, profile: run.state.profile, usd: run.state.limits.usd },
      {
        changes: [
          ["at", "limits", "seq", "type"],
          ["at", "goals", "profile", "seq", "type"],
        ],
        profile: ANN,
        usd: 0.5,
      },
    );
  });
});
