import assert from "node:assert/strict";
import { type Embedder, EmbeddingError } from "../../../../src/memory/embedding/embedder.ts";
import { type RecallOptions, recall } from "../../../../src/memory/recall/recall.ts";
import { MemoryIndex } from "../../../../src/memory/search/memory-index.ts";
import type { MemoryItem } from "../../../../src/memory/store/memory-item.ts";
import type { MemorySearch } from "../../../../src/memory/store/memory-store.ts";
import { createStoredItem } from "../../../../src/memory/store/stored-item.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { shippedTable } from "../../../support/shipped-table.ts";
import { note } from "../sample-items.ts";

const embedder = shippedTable();
const { signal } = new AbortController();
const NOW = new Date("2026-01-02T03:04:05.000Z");

async function recalled(
  items: readonly MemoryItem[],
  query: string,
  options: Partial<RecallOptions> = {},
  isClean?: (item: MemoryItem) => boolean,
  asked: Embedder = embedder,
) {
  const index = new MemoryIndex(embedder.id);
  const vectors = await embedder.embed(
    items.map(({ text }) => text),
    signal,
  );
  for (const [place, item] of items.entries()) {
    index.put(createStoredItem(item), undefined);
    const vector = vectors[place];
    if (vector) index.embed(item.id, { embedder: embedder.id, vector });
  }
  return recall(
    query,
    { count: 10, maxTokens: 500, signal, ...options },
    { search: index, embedder: asked, now: NOW, ...(isClean ? { isClean } : {}) },
  );
}

describe("recalling", () => {
  it("gives one of several memories that say the same", async () => {
    const items = [note("The port is 8080."), note("The port is 8080!"), note("The colour is green.")];
    const hits = await recalled(items, "which port and which colour");
    assert.deepEqual(hits.map(({ text }) => text.slice(0, 8)).sort(), ["The colo", "The port"]);
  });

  it("asks by the vector that the embedder makes of a query", async () => {
    const items = [note("The port is 8080."), note("The color is green.")];
    const [, green = new Float32Array()] = await embedder.embed(
      items.map(({ text }) => text),
      signal,
    );
    const hits = await recalled(items, "tint", {}, undefined, { ...embedder, embedQuery: async () => green });
    assert.equal(hits[0]?.text, "The color is green.");
  });

  it("prefers clean memories to those with text of others, unless these are much closer", async () => {
    const clean = [note("The port is 8080."), note("Deploys run on Fridays.")];
    const tainted = [note("The port of the page is 9090."), note("The invoice template is in billing/invoice.html.")];
    const isClean = (item: MemoryItem) => clean.some(({ id }) => id === item.id);
    const find = async (items: readonly MemoryItem[], query: string, options: Partial<RecallOptions>) =>
      (await recalled(items, query, options, isClean)).map(({ text }) => tainted.some((one) => one.text === text));
    assert.deepEqual(
      {
        near: (await find([...tainted, ...clean], "which port", { prefersClean: true })).includes(true),
        closer: (await find([...tainted, ...clean], "invoice template billing", { prefersClean: true }))[0],
        alone: await find(tainted, "invoice template", { prefersClean: true, count: 1 }),
        own:
          (
            await find(
              tainted.map((item) => ({ ...item, run: "r" })),
              "port",
              { prefersClean: true, run: "r" },
            )
          ).length > 0,
        unasked: (await find([...tainted, ...clean], "which port", {})).includes(true),
      },
      { near: false, closer: true, alone: [true], own: true, unasked: true },
    );
  });

  it("leaves out what has neither a word nor a meaning in common, where that is asked for", async () => {
    const items = [note("The port is 8080."), note("The color is green.")];
    const counts = [];
    for (const query of ["asdf", "8080"])
      for (const options of [{}, { onlyAlike: true } as const])
        counts.push((await recalled(items, query, options)).length);
    assert.deepEqual(counts, [2, 0, 1, 1]);
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
    const items = ["a", "b"].map((run): MemoryItem => ({ ...note(`The linter was set up in run ${run}.`), run }));
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
    assert.deepEqual(
      [hit?.why, hit?.reason && writeInEnglish(hit.reason)],
      ["1st in meaning (95%), 1st in words (100% of the question's), 3 days old", "all words match · 3 days old"],
    );
  });

  it("gives the place with the source", async () => {
    const item: MemoryItem = { ...note("The port is 8080."), source: "notes.md", place: "lines 1 to 3" };
    const [hit] = await recalled([item], "port");
    assert.equal(hit?.source, "notes.md, lines 1 to 3");
  });
});

describe("recalling from a search", () => {
  const DAY_MS = 24 * 3600 * 1000;
  const daysAgo = (days: number): string => new Date(NOW.getTime() - days * DAY_MS).toISOString();
  const notes = (count: number): readonly MemoryItem[] =>
    Array.from({ length: count }, (_, at) => note(`Note ${at}.`, daysAgo(30)));

  /** A search that finds these by their words, in this order, and none by meaning. */
  const found = (items: readonly MemoryItem[], more: Partial<MemorySearch> = {}): MemorySearch => {
    const values = items.map(createStoredItem);
    return {
      size: items.length,
      embedded: 0,
      findNearest: async () => [],
      findWithWords: async () => values.map((value) => ({ value, coverage: 1 })),
      computeSimilarity: () => 0,
      ...more,
    };
  };
  const from = (search: MemorySearch, options: Partial<RecallOptions> = {}) =>
    recall("query", { count: 100, maxTokens: 10_000, signal, ...options }, { search, embedder, now: NOW });

  it("counts ranks as people do", async () => {
    const hits = await from(found(notes(23)));
    const ranks = hits.map(({ why }) => why.split(" ")[0]);
    assert.deepEqual(
      { first: ranks.slice(0, 4), teens: ranks.slice(9, 14), later: ranks.slice(19, 23) },
      {
        first: ["1st", "2nd", "3rd", "4th"],
        teens: ["10th", "11th", "12th", "13th", "14th"],
        later: ["20th", "21st", "22nd", "23rd"],
      },
    );
  });

  it("says how old a memory is, or that it comes from this run", async () => {
    const item = (text: string, days: number, run?: string): MemoryItem => ({
      ...note(text, daysAgo(days)),
      ...(run === undefined ? {} : { run }),
    });
    const items = [item("a", 0.5), item("b", 1), item("c", 2.5, "other"), item("d", 40, "own")];
    const hits = await from(found(items), { run: "own" });
    assert.deepEqual(Object.fromEntries(hits.map(({ text, why }) => [text, why.split(", ").at(-1)])), {
      a: "from today",
      b: "1 day old",
      c: "2 days old",
      d: "from this run",
    });
  });

  it("weighs freshness by half-lives of a week, without a bonus for the future", async () => {
    const scoreAt = async (days: number) => {
      const [hit] = await from(found([note("a", daysAgo(days))]));
      return hit?.score;
    };
    assert.deepEqual(
      { now: await scoreAt(0), week: await scoreAt(7), future: await scoreAt(-7), old: await scoreAt(700) },
      { now: 0.451, week: 0.43, future: 0.451, old: 0.41 },
    );
  });

  it("takes what fits into the tokens, exactly", async () => {
    const countTokens = (text: string): number => text.length;
    const items = ["a".repeat(60), "b".repeat(50), "c".repeat(45)].map((text) => note(text, daysAgo(30)));
    const lengths = async (maxTokens: number) =>
      (await from(found(items), { maxTokens, countTokens })).map(({ text }) => text.length);
    assert.deepEqual(
      {
        all: await lengths(155),
        without: await lengths(154),
        exactly: await lengths(60),
        cut: await lengths(59),
        leastCut: await lengths(40),
        none: await lengths(39),
      },
      { all: [60, 50, 45], without: [60, 50], exactly: [60], cut: [59], leastCut: [40], none: [] },
    );
  });

  it("leaves out unwanted memories, those of no similar meaning, and repeats", async () => {
    const [a, b, c] = notes(3).map(createStoredItem);
    assert.ok(a && b && c);
    const search = found([], {
      size: 3,
      embedded: 3,
      findNearest: async () => [
        { value: a, score: 0.9 },
        { value: b, score: 0.5 },
        { value: c, score: 0 },
      ],
      findWithWords: async () => [{ value: a, coverage: 1 }],
    });
    const texts = async (more: Partial<RecallOptions>, changed: Partial<MemorySearch> = {}) =>
      (await from({ ...search, ...changed }, more)).map(({ text }) => text);
    assert.deepEqual(
      {
        all: await texts({}),
        skipped: await texts({ skip: ({ text }) => text === "Note 0." }),
        repeated: await texts({}, { computeSimilarity: () => 0.96 }),
        similar: await texts({}, { computeSimilarity: () => 0.95 }),
        one: await texts({ count: 1 }),
        none: await texts({ count: 0 }),
        empty: await texts({}, { size: 0 }),
      },
      {
        all: ["Note 0.", "Note 1."],
        skipped: ["Note 1."],
        repeated: ["Note 0."],
        similar: ["Note 0.", "Note 1."],
        one: ["Note 0."],
        none: [],
        empty: [],
      },
    );
  });

  it("searches by words alone when the embedder fails, and passes on bugs", async () => {
    const search = found(notes(1), { embedded: 1, findNearest: async () => assert.fail("no vector") });
    const by = (error: Error) =>
      recall(
        "query",
        { count: 1, maxTokens: 100, signal },
        {
          search,
          now: NOW,
          embedder: { id: embedder.id, batch: 1, embed: async () => Promise.reject(error) },
        },
      );
    const timeout = Object.assign(new Error("late"), { name: "TimeoutError" });
    const hits = [await by(new EmbeddingError("setup", "no key")), await by(timeout)];
    assert.deepEqual(
      hits.map((each) => each.map(({ text }) => text)),
      [["Note 0."], ["Note 0."]],
    );
    await assert.rejects(by(new TypeError("a bug")), TypeError);
  });
});
