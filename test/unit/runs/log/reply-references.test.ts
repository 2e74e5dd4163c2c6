import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { NO_THOUGHTS, type Reply } from "../../../../src/core/reply/reply.ts";
import { Deduplicator, Restorer } from "../../../../src/runs/log/deduplication.ts";
import { parseLog } from "../../../../src/runs/log/read-log.ts";
import type { AgentEvent } from "../../../../src/schema/events.ts";
import { says } from "../../../support/fake-model.ts";
import { play, randomRuns } from "../../../support/random-run.ts";
import { rehearse } from "../../../support/rehearsal.ts";
import { sampleStart } from "../../../support/sample-run.ts";

/** What stands in the file for these events, one JSON object a line. */
function written(events: readonly AgentEvent[]): string {
  const folding = new Deduplicator();
  return events.map((event) => `${JSON.stringify(folding.fold(event))}\n`).join("");
}

const CALL = { name: "n", args: { title: "a" } };

function sampleEvent(): AgentEvent {
  return { seq: 0, at: "2026-01-02T03:04:05.000Z", ...sampleStart() };
}

/** A reply that was written like this, and read like that. */
function replied(args: object, reply: Reply): AgentEvent {
  return {
    ...{ seq: 1, at: "2026-01-02T03:04:05.000Z", type: "replied", step: 1, format: "tools", text: "" },
    calls: [{ id: "c", name: "n", arguments: JSON.stringify(args) }],
    ...{ finish: "stop", model: "m", reply },
  };
}

describe("the texts of a log", () => {
  it("are stored in the file once, and are all there when it is read", async () => {
    const text = "A long text that is worth writing only once. ".repeat(20);
    const { log } = await rehearse({
      answers: [says("write_note", { title: "a", text }), says("task_complete", { title: "Done." })],
    });
    const file = written(log.events);
    assert.deepEqual(
      {
        times: file.split("A long text that is worth writing only once. ".repeat(20)).length - 1,
        events: parseLog(file).events,
      },
      { times: 2, events: log.events },
    );
  });

  it("of the next calls of a reply are all there when it is read", async () => {
    const text = "A long text that is worth writing only once. ".repeat(20);
    const write = (title: string) => ({ name: "write_note", args: { title, text: `${title}${text}` } });
    const { log } = await rehearse({
      answers: [
        { text: JSON.stringify({ thoughts: { text: "t" }, command: [write("a"), write("b")] }) },
        says("task_complete", { title: "Done." }),
      ],
    });
    const file = written(log.events);
    assert.deepEqual(
      {
        next: log.events.some((event) => event.type === "replied" && event.of === 1),
        events: parseLog(file).events,
      },
      { next: true, events: log.events },
    );
  });

  it("are the same again, whatever happened in the run", async () => {
    await fc.assert(
      fc.asyncProperty(randomRuns([32_000]), async (random) => {
        const { log } = await play(random);
        assert.deepEqual(parseLog(written(log.events)).events, log.events);
      }),
      { numRuns: 40 },
    );
  });

  it("take no room a second time where all thoughts were read as they were written", () => {
    const thoughts = { text: "Short.", reasoning: "So.", plan: "- a", criticism: "", speak: "Yes." };
    const event = replied({ thoughts, title: "a" }, { kind: "proposal", thoughts, call: CALL });
    const file = written([sampleEvent(), event]);
    assert.deepEqual([file.split("Short.").length - 1, parseLog(file).events.at(-1)], [1, event]);
  });

  it("stay where they are when a reply itself holds what looks like a place", () => {
    const long = "x".repeat(60);
    const args = { title: long, more: { $raw: ["title"] } };
    const event = replied(args, { kind: "proposal", thoughts: NO_THOUGHTS, call: { name: "n", args } });
    const folded = new Deduplicator().fold(event);
    assert.deepEqual([folded, new Restorer().unfold(folded)], [event, event]);
  });
});

describe("references into a reply", () => {
  const LONG = "A text that is long enough to be replaced with a reference.";
  const proposal = (args: Readonly<Record<string, unknown>>): Reply => ({
    kind: "proposal",
    thoughts: NO_THOUGHTS,
    call: { name: "n", args: { ...args } },
  });
  const began = (step: number): AgentEvent => ({
    ...{ seq: 2, at: "2026-01-02T03:04:05.000Z", type: "began", step, command: "n" },
    args: { title: LONG },
  });

  it("are written for the call of the same step, and not for another one", () => {
    const reply = replied({ thoughts: NO_THOUGHTS, title: LONG }, proposal({ title: LONG }));
    const filesWith = (step: number) => {
      const events = [sampleEvent(), reply, began(step)];
      const file = written(events);
      return { times: file.split(LONG).length - 1, isSame: isDeepStrictEqual(parseLog(file).events, events) };
    };
    assert.deepEqual(
      { sameStep: filesWith(1), otherStep: filesWith(2) },
      { sameStep: { times: 1, isSame: true }, otherStep: { times: 2, isSame: true } },
    );
  });

  it("restore a text without the white space that parsing removed", () => {
    const events = [sampleEvent(), replied({ thoughts: NO_THOUGHTS, title: ` ${LONG}\n` }, proposal({ title: LONG }))];
    const file = written(events);
    assert.deepEqual({ times: file.split(LONG).length - 1, events: parseLog(file).events }, { times: 1, events });
  });
});
