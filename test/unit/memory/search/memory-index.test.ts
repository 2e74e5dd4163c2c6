import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { MemoryIndex } from "../../../../src/memory/search/memory-index.ts";
import { createStoredItem } from "../../../../src/memory/store/stored-item.ts";
import { note } from "../sample-items.ts";

const COUNT = 2_000;

describe("the words of many new memories", () => {
  it("are found by the first search, which has them indexed for the next ones", async () => {
    const index = new MemoryIndex<undefined>("one");
    const items = Array.from({ length: COUNT }, (_, place) => createStoredItem(note(`memory number${place}`)));
    for (const item of items) index.put(item, undefined);
    const [first] = await index.findWithWords("number1234", 1);
    const isIndexed = () => items.every(({ id }) => index.get(id)?.doc !== undefined);
    for (let turn = 0; turn < 400 && !isIndexed(); turn++) await pause(5);
    const [later] = await index.findWithWords("number1234", 1);
    assert.deepEqual(
      { first: first?.value.id, isIndexed: isIndexed(), later: later?.value.id },
      { first: items[1234]?.id, isIndexed: true, later: items[1234]?.id },
    );
  });
});
