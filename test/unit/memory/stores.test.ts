import assert from "node:assert/strict";
import { MEMORY_STORES, type MemoryStoreName, type MemoryStoreTable } from "../../../src/memory/stores.ts";

// @ts-expect-error: a name without a row doesn't compile.
const INCOMPLETE: MemoryStoreTable<MemoryStoreName | "missing"> = MEMORY_STORES;

describe("the table of memory stores", () => {
  it("has a title for each store", () => {
    const untitled = Object.entries(INCOMPLETE).filter(([, { title }]) => title.trim() === "");
    assert.deepEqual(untitled, []);
  });
});
