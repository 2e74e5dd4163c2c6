import assert from "node:assert/strict";
import { listSurplusMemories } from "../../../src/memory/open-memory.ts";
import type { MemoryItem } from "../../../src/memory/store/memory-item.ts";
import { note } from "./sample-items.ts";

/** Memories from the oldest to the newest; the oldest is a note. */
const ITEMS = ["one", "two", "three", "four"].map(
  (text, index): MemoryItem => ({ ...note(text), kind: index === 0 ? "note" : "episode" }),
);

async function* all(): AsyncIterable<MemoryItem> {
  yield* ITEMS;
}

const surplus = async (count: number, max: number): Promise<readonly (string | undefined)[]> =>
  (await listSurplusMemories(all(), count, max)).map((id) => ITEMS.find((item) => item.id === id)?.text);

describe("a memory that is too full", () => {
  it("removes the oldest memories, but no notes", async () => {
    assert.deepEqual(await surplus(4, 2), ["two", "three"]);
  });

  it("keeps all notes, even if nothing else is left", async () => {
    assert.deepEqual(await surplus(4, 0), ["two", "three", "four"]);
  });

  it("keeps what others have shared, which doesn't count", async () => {
    const [first, ...others] = ITEMS.slice(1);
    async function* mixed(): AsyncIterable<MemoryItem> {
      if (first) yield { ...first, author: "Ada" };
      yield* others;
    }
    assert.deepEqual(
      await listSurplusMemories(mixed(), 2, 1),
      others.slice(0, 1).map(({ id }) => id),
    );
  });

  it("tolerates two percent more", async () => {
    assert.deepEqual(
      { within: await surplus(102, 100), above: await surplus(103, 100) },
      {
        within: [],
        above: ["two", "three", "four"],
      },
    );
  });
});
