import assert from "node:assert/strict";
import fc from "fast-check";
import { Deduplicator } from "../../../../src/runs/log/deduplication.ts";
import { parseLog } from "../../../../src/runs/log/read-log.ts";
import type { AgentEvent, AgentEventBody } from "../../../../src/schema/events.ts";
import type { RecalledMemory } from "../../../../src/schema/run-values.ts";
import { sampleStart, sampleTail } from "../../../support/sample-run.ts";

const LONG = "The pump is in the cellar, behind the door on the left.";

const memory = (text: string): RecalledMemory => ({ text, source: "run-0: step 4", score: 0.5 });

function numbered(...bodies: readonly AgentEventBody[]): readonly AgentEvent[] {
  return bodies.map((body, seq) => ({ seq, at: "2026-01-02T03:04:05.000Z", ...body }));
}

/** Two steps that recall and plan the same, with what the second asks. */
function twoSteps(): readonly AgentEvent[] {
  const plan = [{ text: `Look at this: ${LONG}`, status: "pending" }] as const;
  const step = (count: number): readonly AgentEventBody[] => [
    { type: "recalled", step: count, memories: [memory("short"), memory(LONG)] },
    { type: "planned", items: plan },
    { type: "asked", step: count, format: "text", tail: sampleTail({ recalled: [memory(LONG)], plan }) },
  ];
  return numbered(sampleStart(), ...step(1), ...step(2));
}

/** What stands in the file; the log is opened anew before each event of these numbers. */
function written(events: readonly AgentEvent[], openedAt: readonly number[] = []): string {
  let folding = new Deduplicator();
  return events
    .map((event) => {
      if (openedAt.includes(event.seq)) folding = new Deduplicator();
      return `${JSON.stringify(folding.fold(event))}\n`;
    })
    .join("");
}

describe("what is recalled and planned step after step", () => {
  it("is stored in the file once, and is all there when it is read", () => {
    const events = twoSteps();
    const file = written(events);
    assert.deepEqual([file.split(LONG).length - 1, parseLog(file).events], [2, events]);
  });

  it("names no text of an event that was never written", () => {
    const [start, recalled, ...rest] = twoSteps();
    assert.ok(start && recalled);
    const folding = new Deduplicator();
    const lost = { ...start, seq: 1, type: "planned", items: [{ text: LONG, status: "done" }] } as const;
    const lines = [start, lost, recalled, ...rest].map((event) => JSON.stringify(folding.fold(event)));
    const file = `${lines.filter((_line, index) => index !== 1).join("\n")}\n`;
    assert.deepEqual(parseLog(file).events, [start, recalled, ...rest]);
  });

  it("is the same again, whatever comes again and whenever the log was opened", () => {
    const texts = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 30 });
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 20 }), fc.array(fc.nat(40)), (steps, openedAt) => {
        const events = numbered(
          sampleStart(),
          ...steps.flatMap((ids, step): readonly AgentEventBody[] => {
            const memories = ids.map((id) => memory(`${LONG} (${id})`));
            const tail = sampleTail({ recalled: memories.slice(1) });
            return [
              { type: "recalled", step, memories },
              { type: "asked", step, format: "text", tail },
            ];
          }),
        );
        assert.deepEqual(parseLog(written(events, openedAt)).events, events);
      }),
      { numRuns: 60 },
    );
  });
});

describe("values that are remembered for references", () => {
  const bodies = (texts: readonly string[]): readonly AgentEventBody[] =>
    texts.map((text, step) => ({ type: "recalled", step, memories: [memory(text)] }));
  const others = (count: number) => Array.from({ length: count }, (_, index) => `${LONG} It is number ${index}.`);

  it("are forgotten, the least recently used first, once there are too many", () => {
    const timesIn = (texts: readonly string[]): number =>
      written(numbered(sampleStart(), ...bodies(texts))).split(JSON.stringify(LONG)).length - 1;
    assert.deepEqual(
      { soon: timesIn([LONG, ...others(50), LONG]), late: timesIn([LONG, ...others(300), LONG]) },
      { soon: 1, late: 2 },
    );
  });
});
