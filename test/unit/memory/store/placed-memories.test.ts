import assert from "node:assert/strict";
import { packMemories } from "../../../../src/memory/store/packed-segment.ts";
import { PlacedMemories } from "../../../../src/memory/store/placed-memories.ts";
import { Segment } from "../../../../src/memory/store/segment.ts";
import { createStoredItem } from "../../../../src/memory/store/stored-item.ts";
import { note } from "../sample-items.ts";

const ITEM = createStoredItem(note("a pump"));

function setUp() {
  return {
    memories: new PlacedMemories("one"),
    first: new Segment("/memory/seg-00001"),
    second: new Segment("/memory/seg-00002"),
  };
}

describe("the memories of a folder", () => {
  it("are listed in the segment that holds them, and only there", () => {
    const { memories, first, second } = setUp();
    memories.put(ITEM, first);
    memories.put(ITEM, second);
    assert.deepEqual(
      { first: [...first.ids], second: [...second.ids], home: memories.index.get(ITEM.id)?.home?.name },
      { first: [], second: [ITEM.id], home: "seg-00002" },
    );
  });

  it("make the segment that they leave dirty, so that it is rewritten", () => {
    const { memories, first, second } = setUp();
    memories.put(ITEM, first);
    memories.put(ITEM, first);
    const before = first.dirty;
    memories.put(ITEM, second);
    assert.deepEqual(
      { before, after: first.dirty, second: second.dirty },
      { before: false, after: true, second: false },
    );
  });

  it("leave their segment when they are removed", () => {
    const { memories, first } = setUp();
    memories.put(ITEM, first);
    memories.remove(ITEM.id);
    assert.deepEqual({ ids: [...first.ids], size: memories.index.size }, { ids: [], size: 0 });
  });

  it("are replaced by what the files of a segment hold", () => {
    const { memories, first } = setUp();
    const other = note("a door");
    memories.put(ITEM, first);
    memories.load(first, packMemories([{ item: other }]));
    assert.deepEqual(
      [...memories.index.iterateAll()].map(({ item }) => item.read()),
      [other],
    );
  });

  it("were handed over while they are in no segment", () => {
    const { memories, first } = setUp();
    const other = createStoredItem(note("a door"));
    memories.put(ITEM, first);
    memories.put(other, undefined);
    assert.deepEqual(
      memories.listHandedOver().map(({ item }) => item.id),
      [other.id],
    );
  });
});
