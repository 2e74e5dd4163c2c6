import assert from "node:assert/strict";
import type { Embedder } from "../../../../src/memory/embedding/embedder.ts";
import { searchByMeaning } from "../../../../src/memory/recall/recall.ts";
import { MemoryIndex } from "../../../../src/memory/search/memory-index.ts";
import { createStoredItem } from "../../../../src/memory/store/stored-item.ts";
import { shippedTable } from "../../../support/shipped-table.ts";
import { note } from "../sample-items.ts";

const { signal } = new AbortController();

/** The texts of memories in the order found, where each is a little farther from the query than the one before. */
async function found(texts: readonly string[], nearness?: Embedder["measureNearness"]): Promise<readonly string[]> {
  const index = new MemoryIndex("test");
  for (const [place, text] of texts.entries()) {
    const item = note(text);
    index.put(createStoredItem(item), undefined, {
      embedder: "test",
      vector: Float32Array.of(1, place / 1_000),
    });
  }
  const embedder: Embedder = {
    id: "test",
    batch: 1,
    embed: async () => [Float32Array.of(1, 0)],
    ...(nearness ? { measureNearness: nearness } : {}),
  };
  const hits = await searchByMeaning({ query: "which port", count: 60, signal }, index, embedder);
  return hits.map(({ value }) => value.read().text);
}

describe("finding by meaning", () => {
  it("keeps the order of the cosines if the embedder doesn't know words", async () => {
    assert.deepEqual(await found(["one", "two", "three"]), ["one", "two", "three"]);
  });

  it("prefers the memories whose words are nearer to the query's", async () => {
    const near = async (_: string, texts: readonly string[]) => texts.map((text) => Number(text === "two"));
    assert.deepEqual(await found(["one", "two", "three"], near), ["two", "one", "three"]);
  });

  it("compares the words of the first forty alone, and keeps the rest", async () => {
    const texts = Array.from({ length: 50 }, (_, place) => String(place));
    const longer = async (_: string, all: readonly string[]) => all.map(Number);
    assert.deepEqual(await found(texts, longer), [...texts.slice(0, 40).toReversed(), ...texts.slice(40)]);
  });

  it("finds the sentence that answers inside a long memory, though another memory's sum is closer", async () => {
    const long =
      "The garden needs water. Lunch is at noon. The invoices are paid monthly. Birds sing in the morning. " +
      "The newest backup restores the database. The car needs winter tires. Our neighbor plays the piano. " +
      "Tickets for the concert are sold out.";
    const other = "The data is kept on a disk.";
    const table = shippedTable();
    const vectors = await table.embed([long, other], signal);
    const index = new MemoryIndex(table.id);
    for (const [place, text] of [long, other].entries()) {
      const vector = vectors[place] ?? new Float32Array();
      index.put(createStoredItem(note(text)), undefined, { embedder: table.id, vector });
    }
    const asked = { query: "How do we recover the database from a backup?", count: 2, signal };
    const first = async (embedder: Embedder) => (await searchByMeaning(asked, index, embedder))[0]?.value.read().text;
    const { measureNearness: _, ...withoutWords } = table;
    assert.deepEqual([await first(table), await first(withoutWords)], [long, other]);
  });
});
