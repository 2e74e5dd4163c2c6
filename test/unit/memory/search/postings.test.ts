import assert from "node:assert/strict";
import fc from "fast-check";
import { Postings } from "../../../../src/memory/search/word-index.ts";

/** What is read of a term, turned round: oldest text first. */
function read(postings: Postings, term: number): readonly (readonly number[])[] {
  const pairs: number[][] = [];
  postings.visitPostings(term, (doc, times) => pairs.push([doc, times]));
  return pairs.toReversed();
}

describe("which texts have which terms", () => {
  it("is read as it was noted, however many there are of either", () => {
    const texts = fc.array(fc.array(fc.nat(3), { maxLength: 6 }), { maxLength: 300 });
    fc.assert(
      fc.property(texts, (told) => {
        const postings = new Postings();
        const terms = [0, 1, 2, 3].map(() => postings.begin());
        const expected = terms.map(() => new Map<number, number>());
        for (const [doc, own] of told.entries()) {
          for (const term of own) {
            postings.add(term, doc);
            expected[term]?.set(doc, (expected[term].get(doc) ?? 0) + 1);
          }
        }
        assert.deepEqual(
          terms.map((term) => [postings.count(term), read(postings, term)]),
          expected.map((pairs) => [pairs.size, [...pairs]]),
        );
      }),
    );
  });

  it("is read across many long blocks", () => {
    const [postings, count] = [new Postings(), 100_000];
    const term = postings.begin();
    for (let doc = 0; doc < count; doc++) postings.add(term, doc);
    const pairs = read(postings, term);
    assert.deepEqual([pairs.length, pairs.at(-1), postings.count(term)], [count, [count - 1, 1], count]);
  });
});
