import assert from "node:assert/strict";
import { hashedEmbedder } from "../../../../src/memory/embedding/hashed-embedder.ts";
import { type RecallOptions, recall } from "../../../../src/memory/recall/recall.ts";
import { MemoryIndex } from "../../../../src/memory/search/memory-index.ts";
import type { MemoryItem } from "../../../../src/memory/store/memory-item.ts";
import { storedItem } from "../../../../src/memory/store/stored-item.ts";
import { note } from "../sample-items.ts";

const embedder = hashedEmbedder();
const { signal } = new AbortController();
const NOW = new Date("2026-01-02T03:04:05.000Z");

async function recalled(
  items: readonly MemoryItem[],
  query: string,
  options: Partial<RecallOptions> = {},
  isClean?: (item: MemoryItem) => boolean,
) {
  const index = new MemoryIndex(embedder.id);
  const vectors = await embedder.embed(
    items.map(({ text }) => text),
    signal,
  );
  for (const [place, item] of items.entries()) {
    index.put(storedItem(item), undefined);
    const vector = vectors[place];
    if (vector) index.embed(item.id, { embedder: embedder.id, vector });
  }
  return recall(
    query,
    { count: 10, maxTokens: 500, signal, ...options },
    { search: index, embedder, now: NOW, ...(isClean ? { isClean } : {}) },
  );
}

describe("recalling", () => {
  it("gives one of several memories that say the same", async () => {
    const items = [note("The port is 8080."), note("The port is 8080!"), note("The colour is green.")];
    const hits = await recalled(items, "which port and which colour");
    assert.deepEqual(hits.map(({ text }) => text.slice(0, 8)).sort(), ["The colo", "The port"]);
  });

  it("cuts the best memory rather than giving none", async () => {
    const [hit] = await recalled([note(`The port ${"is open ".repeat(200)}`)], "port", { maxTokens: 50 });
    assert.match(hit?.text ?? "", /^The port .* …$/);
  });

  it("prefers what is fresh among equals", async () => {
    const old = note("The linter was set up in room one.", "2024-01-01T00:00:00.000Z");
    const fresh = note("The linter was set up in room two.", "2026-01-02T00:00:00.000Z");
    const [best] = await recalled([old, fresh], "linter set up in room");
    assert.equal(best?.text, fresh.text);
  });

  it("prefers memories of the run that asks among equals, and only those", async () => {
    const items = ["a", "b"].map(
      (run): MemoryItem => ({ ...note(`The linter was set up in run ${run}.`), run }),
    );
    const firstFor = async (run: string | undefined): Promise<string | undefined> => {
      const [best] = await recalled(items, "linter set up in run", run === undefined ? {} : { run });
      return best?.run;
    };
    assert.deepEqual({ a: await firstFor("a"), b: await firstFor("b") }, { a: "a", b: "b" });
  });

  it("marks a memory as clean only if it is proven to be", async () => {
    const [own, foreign] = [note("The port is 8080."), note("The color is green.")];
    const hits = await recalled([own, foreign], "port and color", {}, ({ id }) => id === own.id);
    assert.deepEqual(Object.fromEntries(hits.map(({ text, isClean }) => [text, isClean])), {
      [own.text]: true,
      [foreign.text]: undefined,
    });
  });

  it("says why, for people", async () => {
    const [hit] = await recalled([note("The port is 8080.", "2025-12-30T00:00:00.000Z")], "port 8080");
    assert.equal(hit?.why, "1st in meaning (100 %), 1st in words (100 % of the question's), 3 days old");
  });

  it("gives the place with the source", async () => {
    const item: MemoryItem = { ...note("The port is 8080."), source: "notes.md", place: "lines 1 to 3" };
    const [hit] = await recalled([item], "port");
    assert.equal(hit?.source, "notes.md, lines 1 to 3");
  });
});
