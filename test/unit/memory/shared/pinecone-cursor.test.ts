import assert from "node:assert/strict";
import fc from "fast-check";
import {
  advanceCursor,
  formatPosition,
  hasRead,
  LOG_START,
  listTimePrefixes,
  type PineconePosition,
  parsePosition,
  readCursor,
  writeCursor,
} from "../../../../src/memory/shared/servers/pinecone-cursor.ts";

const WRITER = "0123456789ab";
const NOW = 1_790_000_000_000_000;

function at(time: number, number: number, writer = WRITER): PineconePosition {
  const position = { time, writer, number, isMark: false };
  return { ...position, id: formatPosition(position) };
}

describe("how far a log on Pinecone was read", () => {
  it("is remembered as ranges, so that a row that becomes visible late is still unread", () => {
    const read = [at(NOW, 1), at(NOW + 1, 2), at(NOW + 3, 4), at(NOW + 4, 5)];
    const cursor = readCursor(writeCursor(advanceCursor(LOG_START, read, { epoch: "e", horizon: NOW - 1 })));
    const numbers = [1, 2, 3, 4, 5, 6].filter((number) => !hasRead(cursor, at(NOW + 2, number)));
    const later = advanceCursor(cursor, [at(NOW + 2, 3)], { epoch: "e", horizon: NOW - 1 });
    assert.deepEqual(
      { numbers, ranges: later.writers.get(WRITER)?.ranges, other: hasRead(later, at(NOW, 1, "ba9876543210")) },
      { numbers: [3, 6], ranges: [[1, 5]], other: false },
    );
  });

  it("forgets writers whose rows are all behind the horizon, which never goes back", () => {
    const first = advanceCursor(LOG_START, [at(NOW, 1)], { epoch: "e", horizon: NOW + 1 });
    const second = advanceCursor(first, [], { epoch: "e", horizon: 5 });
    assert.deepEqual([first.writers.size, second.horizon, hasRead(second, at(NOW, 9))], [0, NOW + 1, true]);
  });

  it("stays small in a flood of forged rows", () => {
    const flood = Array.from({ length: 6_000 }, (_, place) => at(NOW + place, 1, place.toString(16).padStart(12, "0")));
    const gaps = Array.from({ length: 1_200 }, (_, place) => at(NOW + 9_000, 2 * place + 1));
    const cursor = advanceCursor(LOG_START, [...flood, ...gaps], { epoch: "e", horizon: 0 });
    assert.deepEqual([cursor.writers.size, cursor.writers.get(WRITER)?.ranges.length], [5_000, 500]);
  });

  const invalid = [undefined, "", "{}", "[]", '{"epoch":1,"horizon":2}', '{"epoch":"e","horizon":-1}', "null"];
  for (const text of invalid)
    it(`is the start of the log for the cursor ${text}`, () => {
      assert.deepEqual(readCursor(text), LOG_START);
    });

  it("leaves out damaged writers of a cursor", () => {
    const writers = [["x", 1, 1, 1], [WRITER, 5, 1, "2"], [WRITER, 7, 1, 2], 3];
    const cursor = readCursor(JSON.stringify({ epoch: "e", horizon: 1, writers }));
    assert.deepEqual([...cursor.writers], [[WRITER, { until: 7, ranges: [[1, 2]] }]]);
  });

  it("has a position for IDs of rows alone", () => {
    const ids = ["", "x", "e0123", "r1-0123456789ab-1", `r${NOW}-${WRITER}-0`, `r${NOW}-${WRITER}-1x`, `r${NOW}-../-1`];
    assert.deepEqual(
      ids.map((id) => parsePosition(id)?.isMark),
      [undefined, undefined, undefined, undefined, undefined, true, undefined],
    );
  });
});

describe("the lists of a log on Pinecone", () => {
  const times = fc.integer({ min: 0, max: 2_000_000_000_000_000 });

  it("cover each time of a range once, in order", () => {
    fc.assert(
      fc.property(times, times, times, (one, two, three) => {
        const [from = 0, time = 0, until = 0] = [one, two, three].toSorted((a, b) => a - b);
        const prefixes = [...listTimePrefixes(from, until)];
        const { id } = at(time, 1);
        const covering = prefixes.filter((prefix) => id.startsWith(prefix));
        assert.deepEqual([covering.length, prefixes], [1, prefixes.toSorted()]);
      }),
    );
  });

  it("are few for the last minutes", () => {
    const counts = [0, 1, 2, 3, 4].map(
      (step) =>
        [...listTimePrefixes(NOW + step * 370_000_000 - 600_000_000, NOW + step * 370_000_000 + 600_000_000)].length,
    );
    assert.ok(
      counts.every((count) => count <= 3),
      `There are ${counts.join(", ")} lists.`,
    );
  });
});
