import assert from "node:assert/strict";
import fc from "fast-check";
import {
  decodeLog,
  encodeRecord,
  LOG_MAGIC,
  type SegmentRecord,
} from "../../../../src/memory/store/segment-records.ts";
import { note } from "../sample-items.ts";

const record: fc.Arbitrary<SegmentRecord> = fc.oneof(
  fc.string({ unit: "binary" }).map((text): SegmentRecord => ({ op: "put", item: note(text) })),
  fc.string({ minLength: 1 }).map((id): SegmentRecord => ({ op: "remove", id })),
  fc.tuple(fc.string({ minLength: 1 }), fc.float32Array({ noNaN: true })).map(
    ([id, vector]): SegmentRecord => ({
      op: "vector",
      id,
      embedder: "e",
      vector: new Float32Array(vector),
    }),
  ),
);

function logOf(records: readonly SegmentRecord[]): Buffer {
  return Buffer.concat([LOG_MAGIC, ...records.map(encodeRecord)]);
}

describe("a segment's log", () => {
  it("reads back what was written", () => {
    fc.assert(
      fc.property(fc.array(record), (records) => {
        const bytes = logOf(records);
        assert.deepEqual(decodeLog(bytes), { records, end: bytes.length, damaged: 0 });
      }),
    );
  });

  it("loses only the last record wherever a crash cuts it", () => {
    fc.assert(
      fc.property(fc.array(record), record, fc.nat(), (records, last, cut) => {
        const whole = logOf(records);
        const frame = encodeRecord(last);
        const torn = Buffer.concat([whole, frame.subarray(0, cut % frame.length)]);
        assert.deepEqual(decodeLog(torn), { records, end: whole.length, damaged: 0 });
      }),
    );
  });

  it("passes over a damaged record in the middle, and says so", () => {
    const [before, damaged, after] = [note("one"), note("two"), note("three")].map(
      (item): SegmentRecord => ({ op: "put", item }),
    );
    assert(before && damaged && after);
    const frame = encodeRecord(damaged);
    frame[20] = (frame[20] ?? 0) ^ 1;
    const bytes = Buffer.concat([logOf([before]), frame, encodeRecord(after)]);
    assert.deepEqual(decodeLog(bytes), { records: [before, after], end: bytes.length, damaged: 1 });
  });

  it("has all other records, and says so, wherever one letter of one is wrong", () => {
    const records = ["one", "two", "three"].map((text): SegmentRecord => ({ op: "put", item: note(text) }));
    const bytes = logOf(records);
    const last = bytes.length - encodeRecord(records[2] ?? { op: "remove", id: "" }).length;
    const wrong: number[] = [];
    for (let at = LOG_MAGIC.length; at < bytes.length; at++) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      const { records: found, damaged } = decodeLog(flipped);
      // A wrong length of the last one looks as if a crash had cut it.
      if (found.length !== 2 || (damaged !== 1 && at >= last + 4)) wrong.push(at);
    }
    assert.deepEqual(wrong, []);
  });

  it("takes no other file for a log", () => {
    assert.throws(() => decodeLog(Buffer.from("something else")), /isn't a memory log/);
  });

  it("never breaks on arbitrary bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        const { end } = decodeLog(Buffer.concat([LOG_MAGIC, bytes]));
        assert.equal(end <= LOG_MAGIC.length + bytes.length, true);
      }),
    );
  });
});
