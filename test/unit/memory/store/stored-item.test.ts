import assert from "node:assert/strict";
import { decodeIndex, encodeIndex, type IndexMetadata } from "../../../../src/memory/store/index-codec.ts";
import { vectraItem } from "../../../../src/memory/store/segment-files.ts";
import { IndexedMemory } from "../../../../src/memory/store/stored-item.ts";
import { note } from "../sample-items.ts";

/** A memory with these metadata, as it lies in an index. */
function indexed(id: string, metadata: IndexMetadata): IndexedMemory {
  const bytes = encodeIndex(1, [{ id, metadata, vector: Float32Array.from([1]), norm: 1 }], "one");
  const [{ start = 0, end = 0 } = {}] = decodeIndex(bytes).items;
  return new IndexedMemory(id, bytes, start, end);
}

describe("a memory in an index", () => {
  it("reads as it was stored", () => {
    const item = { ...note("a pump"), sources: [{ kind: "web", name: "a.org" }], proof: "p" } as const;
    const { id, metadata } = vectraItem(item, { embedder: "one", vector: Float32Array.from([1]) });
    assert.deepEqual(indexed(id, metadata).read(), item);
  });

  it("is empty when somebody forged it", () => {
    const nothing = { id: "a", kind: "note", text: "", source: "", at: "" };
    const broken = new IndexedMemory("a", Buffer.from([0x12, 0x7f, 0x01]), 0, 3);
    assert.deepEqual([indexed("a", { kind: "note" }).read(), broken.read()], [nothing, nothing]);
  });
});
