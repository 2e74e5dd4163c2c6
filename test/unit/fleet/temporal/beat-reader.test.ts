import assert from "node:assert/strict";
import { BeatReader } from "../../../../src/fleet/temporal/beat-reader.ts";
import type { FleetBeat } from "../../../../src/schema/fleet/orders.ts";

const LOG = ["a", "b", "c", "d", "e", "f"];
const createReader = (held: number): BeatReader =>
  new BeatReader({
    held,
    checkLine: (line) => assert.ok(LOG.includes(line), "No machine has written that."),
    readQuestion: () => undefined,
  });
const stored = (...lines: readonly string[]) => lines.map((line) => ({ type: "stored" as const, line }));
const refused = (why: string) => ({ type: "refused" as const, question: "", why });
const beat = (given: Partial<FleetBeat>): FleetBeat => ({ stretch: 1, first: 0, stored: 0, lines: [], ...given });

/** The reports of a reader about news, as words. */
function read(reader: BeatReader, news: FleetBeat | undefined, log: readonly string[] = []): readonly string[] {
  return [...reader.read(news, log)].map((event) => {
    if (event.type === "stored") return event.line;
    if (event.type === "refused") return event.why;
    return event.type === "connection" ? `${event.isLost ? event.why : "back"}` : event.type;
  });
}

describe("the news of a run in heartbeats", () => {
  it("become a log without gaps and repetitions, with the carried log where heartbeats were missed", () => {
    const reader = createReader(1);
    const found = {
      first: read(reader, beat({ lines: stored("a", "b") })),
      again: read(reader, beat({ lines: stored("a", "b") })),
      missed: reader.isBehind(beat({ stored: 4, lines: stored("e") })),
      notCarried: read(reader, beat({ stored: 4, lines: stored("e") })),
      carried: read(reader, beat({ stored: 4, lines: stored("e") }), ["a", "b", "c", "d"]),
      nextWorker: read(reader, beat({ stretch: 2, stored: 5, lines: stored("f") })),
    };
    assert.deepEqual(found, {
      first: ["b"],
      again: [],
      missed: true,
      notCarried: [],
      carried: ["c", "d", "e"],
      nextWorker: ["f"],
    });
  });

  it("report a refused answer once, also in the next stretch, and why no worker works", () => {
    const reader = createReader(0);
    const found = {
      one: read(reader, beat({ lines: [refused("late"), ...stored("a")] })),
      same: read(reader, beat({ lines: [refused("late"), ...stored("a"), refused("used up")] })),
      next: read(reader, beat({ stretch: 2, stored: 1, lines: [refused("foreign")] })),
      held: read(reader, beat({ stretch: 3, stored: 1, held: "Update the workers." })),
      still: read(reader, beat({ stretch: 4, stored: 1, held: "Update the workers." })),
      works: read(reader, beat({ stretch: 5, stored: 1 })),
      nothing: read(reader, undefined),
      alone: [...reader.read(undefined, [], "No worker is there.")].map(({ type }) => type),
    };
    assert.deepEqual(found, {
      one: ["late", "a"],
      same: ["used up"],
      next: ["foreign"],
      held: ["Update the workers."],
      still: [],
      works: ["back"],
      nothing: [],
      alone: ["connection"],
    });
  });

  it("are refused with a line that no machine of the fleet wrote", () => {
    const reader = createReader(0);
    assert.throws(() => read(reader, beat({ lines: stored("forged") })), /No machine has written that/);
  });
});
