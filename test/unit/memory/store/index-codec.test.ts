import assert from "node:assert/strict";
import fc from "fast-check";
import { LocalIndex, ProtobufCodec, VirtualFileStorage } from "vectra";
import {
  decodeIndex,
  encodeIndex,
  type IndexFileItem,
  metadataOf,
} from "../../../../src/memory/store/index-codec.ts";
import { vectraIndex } from "../../../../src/memory/store/vectra-index.ts";

const ITEMS = [
  {
    id: "a",
    metadata: { text: "Grüße, 世界", step: 7, pinned: true, empty: "" },
    vector: Float32Array.from([0.6, 0.8]),
    norm: 1,
  },
  { id: "b", metadata: {}, vector: Float32Array.from([1, 0]), norm: 1 },
];

const item: fc.Arbitrary<IndexFileItem> = fc.record(
  {
    id: fc.string(),
    metadata: fc.dictionary(
      fc.string().filter((key) => key !== "__proto__"),
      fc.oneof(fc.string(), fc.double({ noNaN: true }), fc.boolean()),
      { noNullPrototype: true },
    ),
    vector: fc.float32Array({ noNaN: true }).map((values) => new Float32Array(values)),
    norm: fc.double({ noNaN: true }),
  },
  { noNullPrototype: true },
);

/** All that an index says, metadata included. */
function contents(bytes: Buffer) {
  const { items, ...rest } = decodeIndex(bytes);
  const whole = items.map(({ start, end, ...item }) => ({
    ...item,
    metadata: metadataOf(bytes, start, end),
  }));
  return { ...rest, items: whole };
}

describe("the file of a segment's index", () => {
  it("reads back what was written", () => {
    fc.assert(
      fc.property(fc.array(item), (items) => {
        assert.deepEqual(contents(encodeIndex(1, items, "one")), { version: 1, embedder: "one", items });
      }),
    );
  });

  it("is read by Vectra as it comes", async () => {
    const storage = new VirtualFileStorage();
    await storage.upsertFile("index/index.pb", await vectraIndex(ITEMS, "one"));
    const index = new LocalIndex("index", undefined, storage, new ProtobufCodec());
    const [best] = await index.queryItems([0.5, 0.9], "", 1);
    assert.deepEqual(
      { items: (await index.listItems()).length, best: best?.item.metadata },
      { items: 2, best: ITEMS[0]?.metadata },
    );
  });

  it("reads what Vectra itself wrote", () => {
    const written = new ProtobufCodec().serializeIndex({
      version: 1,
      metadata_config: {},
      items: ITEMS.map(({ vector, ...rest }) => ({ ...rest, vector: [...vector] })),
    });
    assert.deepEqual(contents(written), { version: 1, items: ITEMS });
  });

  it("notices every flipped bit", () => {
    const good = encodeIndex(1, ITEMS, "one");
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.nat(7), (at, bit) => {
        const bad = Buffer.from(good);
        bad[at] = (bad[at] ?? 0) ^ (1 << bit);
        assert.throws(() => decodeIndex(bad));
      }),
    );
  });

  it("notices every cut", () => {
    const good = encodeIndex(1, ITEMS, "one");
    fc.assert(
      fc.property(fc.integer({ min: 1, max: good.length - 1 }), (length) => {
        assert.throws(() => decodeIndex(good.subarray(0, length)));
      }),
    );
  });
});
