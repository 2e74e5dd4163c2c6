import assert from "node:assert/strict";
import { MEMORY_STORES, type MemoryStoreName, type MemoryStoreTable } from "../../../src/memory/stores.ts";

// @ts-expect-error: a name without a row doesn't compile.
const INCOMPLETE: MemoryStoreTable<MemoryStoreName | "redis"> = MEMORY_STORES;

describe("the table of memory stores", () => {
  it("has a row with a title for each store", () => {
    const titles = Object.entries(INCOMPLETE).map(([name, { title }]) => ({ name, hasTitle: title !== "" }));
    assert.deepEqual(titles, [{ name: "local", hasTitle: true }]);
  });
});
