import assert from "node:assert/strict";
import { listStepMessages } from "../../../../src/editor/panel/feed.ts";
import type { AgentEvent } from "../../../../src/schema/events.ts";
import { isPanelUpdate } from "../../../../src/schema/panel-validators.ts";
import { says } from "../../../support/fake-model.ts";
import { rehearse } from "../../../support/rehearsal.ts";

/** A run of four steps; the second one changes a file, and the third one has no end. */
async function recordedChange() {
  return (await recorded()).flatMap((event): AgentEvent[] => {
    if (event.type !== "ended" || event.outcome.status !== "done") return [event];
    if (event.step === 3) return [];
    return event.step === 2
      ? [{ ...event, outcome: { ...event.outcome, files: [{ file: "a.ts", change: "changed" }] } }]
      : [event];
  });
}

async function recorded() {
  const titles = ["a", "b", "c"];
  const answers = [...titles.map((title) => says("read_note", { title })), says("task_complete", { title: "D." })];
  return (await rehearse({ answers })).log.events;
}

/** What a page would show: where it is, and the steps. */
async function shown(step: number, events = recorded()) {
  const messages = listStepMessages("r", await events, step);
  const steps = messages.flatMap((message) => (message.type === "page" ? message.steps : []));
  const [snapshot] = messages;
  return {
    valid: messages.every((message) => isPanelUpdate(message)),
    at: snapshot?.type === "snapshot" ? snapshot.at : undefined,
    over: snapshot?.type === "snapshot" && snapshot.state.end !== undefined,
    steps: steps.map(({ step: number }) => number),
  };
}

describe("stepping through a run", () => {
  it("shows it as it was after the step", async () => {
    assert.deepEqual(await shown(2), { valid: true, at: { step: 2, of: 4, changes: [] }, over: false, steps: [1, 2] });
  });

  it("stays within the run", async () => {
    assert.deepEqual(
      [await shown(-3), await shown(99)],
      [
        { valid: true, at: { step: 0, of: 4, changes: [] }, over: false, steps: [] },
        { valid: true, at: { step: 4, of: 4, changes: [] }, over: false, steps: [1, 2, 3, 4] },
      ],
    );
  });

  it("names the steps that changed files, and passes one that has no end", async () => {
    assert.deepEqual(await shown(3, recordedChange()), {
      valid: true,
      at: { step: 3, of: 4, changes: [2] },
      over: false,
      steps: [1, 2],
    });
  });
});
