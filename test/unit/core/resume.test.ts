import assert from "node:assert/strict";
import type { AgentEvent } from "../../../src/schema/events.ts";
import { says } from "../../support/fake-model.ts";
import { ofType, outcomes, type Rehearsing, rehearsal, rehearse, types } from "../../support/rehearsal.ts";
import { sampleTail } from "../../support/sample-run.ts";

const FINISH = says("task_complete", { title: "Done." });
const look = (title: string) => says("read_note", { title });
const REPLIES = [look("a"), says("write_note", { title: "b" }), { text: "?" }, FINISH];
const whole = async () => (await rehearse({ answers: REPLIES })).log.events;

/** What came of going on with the first events of a run, and how often each command ran in all. */
async function goneOnWith(events: readonly AgentEvent[]): Promise<unknown> {
  const replies = REPLIES.slice(ofType(events, "replied").length);
  const begun = ofType(events, "began").map(({ command }) => command);
  const { end, deeds } = await rehearse({ answers: [...replies, FINISH], events });
  const again = begun.filter((command) => command === "write_note" && deeds.includes("write b"));
  return [events.length, end, again];
}

/** A run whose questions are answered, with the questions and the number of model calls before each. */
async function answered(options: Rehearsing) {
  const rehearsed = await rehearsal(options);
  const { live, model } = rehearsed;
  const asked: { readonly question: string; readonly calls: number }[] = [];
  live.onPending(() => {
    if (live.pending?.kind !== "question") return;
    asked.push({ question: live.pending.text, calls: model.requests.length });
    void live.say("Because.");
  });
  live.resume();
  await live.end;
  return { ...rehearsed, asked };
}

describe("a resumed run", () => {
  it("ends like an undisturbed one, from every beginning of its log, and runs no command twice", async () => {
    const events = await whole();
    const lengths = events.slice(1).map((_, index) => index + 1);
    const ends = await Promise.all(lengths.map((length) => goneOnWith(events.slice(0, length))));
    assert.deepEqual(
      ends,
      lengths.map((length) => [length, { reason: "finished", summary: "Done." }, []]),
    );
  });

  it("asks nothing more when its task was complete already", async () => {
    const events = await whole();
    const { model } = await rehearse({ answers: [FINISH], events: events.slice(0, -1) });
    assert.deepEqual(model.requests, []);
  });

  it("asks an open question again, as the user saw it, without a new reply of the model", async () => {
    const before = await answered({ answers: [says("ask_user", { title: "Why?" }), FINISH] });
    const began = before.log.events.findIndex(({ type }) => type === "began");
    const { asked, log } = await answered({
      answers: [FINISH],
      events: before.log.events.slice(0, began + 1),
    });
    assert.deepEqual(
      { asked, outcome: outcomes(log.events)[0], events: types(log.events) },
      {
        asked: [{ question: "Why?", calls: 0 }],
        outcome: "1 done: The user answers: Because.",
        events: types(before.log.events).replace("began ended", "began resumed ended"),
      },
    );
  });

  it("takes what the user says meanwhile for the answer to an open question", async () => {
    const before = await answered({ answers: [says("ask_user", { title: "Why?" }), FINISH] });
    const began = before.log.events.findIndex(({ type }) => type === "began");
    const events = before.log.events.slice(0, began + 1);
    const { live, log } = await rehearsal({ answers: [FINISH], events });
    await live.say("So.");
    const end = await live.end;
    assert.deepEqual(
      { end, outcome: outcomes(log.events)[0], events: types(log.events) },
      {
        end: { reason: "finished", summary: "Done." },
        outcome: "1 done: The user answers: So.",
        events: types(before.log.events).replace("began ended", "began resumed ended"),
      },
    );
  });

  it("continues once the user says something, which its next prompt includes", async () => {
    const events = await whole();
    const asked = events.findLastIndex(({ type }) => type === "asked");
    const { live, model } = await rehearsal({ answers: [FINISH], events: events.slice(0, asked) });
    await live.say("Be quick.");
    const end = await live.end;
    assert.deepEqual(
      { end, told: JSON.stringify(model.requests.at(-1)?.messages).includes("Be quick.") },
      { end: { reason: "finished", summary: "Done." }, told: true },
    );
  });

  it("reports an interrupted command to the model, and does not run it again", async () => {
    const events = await whole();
    const begun = events.findLastIndex((event) => event.type === "began" && event.command === "write_note");
    const { deeds, log: after } = await rehearse({
      answers: [FINISH],
      events: events.slice(0, begun + 1),
    });
    assert.deepEqual(
      [deeds, outcomes(after.events)[1]?.slice(0, 60)],
      [["finish"], "2 failed: The run was interrupted while this command ran. It"],
    );
  });
});

describe("a run opened from its log", () => {
  it("finishes the step that is open before it looks at the limits", async () => {
    const events = await whole();
    const asked = events.findLastIndex(({ type }) => type === "asked");
    const { end, model } = await rehearse({
      answers: [look("z"), FINISH],
      events: [
        ...events.slice(0, asked + 1),
        { seq: asked + 1, at: events[asked]?.at ?? "", type: "changed", limits: { steps: 1 } },
      ],
    });
    assert.deepEqual(
      { end, requests: model.requests.length },
      { end: { reason: "exhausted", limit: "steps" }, requests: 1 },
    );
  });

  it("asks the model again for a reply that never came", async () => {
    const events = await whole();
    const asked = events.findIndex(({ type }) => type === "asked");
    const { log: after } = await rehearse({ answers: [FINISH], events: events.slice(0, asked + 1) });
    assert.deepEqual(
      ofType(after.events, "asked").map(({ step }) => step),
      [1, 1],
    );
  });

  it("says that it was resumed after an end, a pause or an interruption, and only then", async () => {
    const events = await whole();
    const paused: AgentEvent = { seq: 1, at: events[0]?.at ?? "", type: "paused", reason: "Tea." };
    const upTo = (type: AgentEvent["type"]) => events.slice(0, events.findIndex((event) => event.type === type) + 1);
    const runs = [
      events,
      [...events.slice(0, 1), paused],
      upTo("asked"),
      upTo("began"),
      upTo("replied"),
      upTo("ended"),
      events.slice(0, 1),
    ];
    const counts = await Promise.all(
      runs.map(async (events) => ofType((await rehearse({ answers: [FINISH], events })).log.events, "resumed").length),
    );
    assert.deepEqual(counts, [1, 1, 1, 1, 0, 0, 0]);
  });

  it("resumes in the morning with the minutes that it had at night, even from a log of 0.1.0", async () => {
    const events = await whole();
    const begun = events.findLastIndex((event) => event.type === "began" && event.command === "write_note");
    const night = events.slice(0, begun + 1).map((event) => ({
      ...event,
      at: "2020-01-01T22:00:00.000Z",
      ...(event.type === "started" ? { limits: { ...event.limits, minutes: 30 } } : {}),
    }));
    const { end, run } = await rehearse({ answers: [FINISH], events: night });
    assert.deepEqual(
      { end, hasSpentMinutes: run.state.totals.activeMs > 60_000 },
      { end: { reason: "finished", summary: "Done." }, hasSpentMinutes: false },
    );
  });

  it("cannot be opened without its start", async () => {
    const events: AgentEvent[] = [{ seq: 0, at: "", type: "asked", step: 1, format: "text", tail: sampleTail() }];
    await assert.rejects(rehearsal({ answers: [], events }), {
      message: "The run's log doesn't begin with its start, so it can't be opened.",
    });
  });
});
