import assert from "node:assert/strict";
import { WordIndex } from "../../../../src/memory/search/word-index.ts";

const TEXTS = [
  "The server listens on port 8080.",
  "The server was moved to another rack.",
  "Tests run in parallel; the server is started once.",
  "Nothing about it here.",
];

function indexOf(texts: readonly string[]): WordIndex {
  const index = new WordIndex();
  for (const text of texts) index.add(text);
  return index;
}

describe("the index of words", () => {
  it("ranks a text with the rare word before those with the common one", async () => {
    const hits = await indexOf(TEXTS).search("server port", 10);
    assert.deepEqual(hits.map(({ doc }) => doc).slice(0, 1), [0]);
  });

  it("says how much of the query a text has", async () => {
    const [best] = await indexOf(TEXTS).search("port 8080", 10);
    assert.equal(best?.coverage, 1);
  });

  it("counts a word that no text has as missing", async () => {
    const [best] = await indexOf(TEXTS).search("port zebra", 10);
    assert.equal(best !== undefined && best.coverage < 0.6, true);
  });

  it("finds the words of a long query, most of which no text has", async () => {
    const unknown = Array.from({ length: 40 }, (_, place) => `unknown${place}`).join(" ");
    const hits = await indexOf(TEXTS).search(`${unknown} port`, 10);
    assert.deepEqual(
      hits.map(({ doc, coverage }) => ({ doc, isSmall: coverage < 0.1 })),
      [{ doc: 0, isSmall: true }],
    );
  });

  it("does not find what was removed", async () => {
    const index = indexOf(TEXTS);
    index.remove(0);
    assert.deepEqual(await index.search("8080", 10), []);
  });

  it("finds nothing for a query without words", async () => {
    assert.deepEqual(await indexOf(TEXTS).search("?! the", 10), []);
  });

  it("gives no more than it is asked for", async () => {
    assert.equal((await indexOf(TEXTS).search("server", 2)).length, 2);
  });

  it("lets others have a turn in a long search, and passes over what was added meanwhile", async () => {
    const index = indexOf(Array.from({ length: 30_000 }, (_, place) => `server ${place}`));
    const search = index.search("server port", 40_000);
    index.add("server port");
    assert.equal((await search).length, 30_000);
  });
});
