import assert from "node:assert/strict";
import fc from "fast-check";
import { findSmallestReplacement } from "../../../../src/editor/review/text-edit.ts";

describe("the smallest replacement between two texts", () => {
  it("covers only what differs", () => {
    assert.deepEqual(
      {
        middle: findSmallestReplacement("one two three", "one 2 three"),
        added: findSmallestReplacement("ab", "aab"),
        same: findSmallestReplacement("ab", "ab"),
      },
      {
        middle: { start: 4, end: 7, text: "2" },
        added: { start: 1, end: 1, text: "a" },
        same: { start: 2, end: 2, text: "" },
      },
    );
  });

  it("cuts no surrogate pair and no line end in two", () => {
    assert.deepEqual(
      {
        pairs: findSmallestReplacement("a😀b", "a😁b"),
        ends: findSmallestReplacement("a\r\nb", "a\r\n\r\nb"),
        tails: findSmallestReplacement("\u{1F600}", "\u{1FA00}"),
      },
      {
        pairs: { start: 1, end: 3, text: "😁" },
        ends: { start: 3, end: 3, text: "\r\n" },
        tails: { start: 0, end: 2, text: "\u{1FA00}" },
      },
    );
  });

  it("turns any text into any other", () => {
    const texts = fc.array(fc.constantFrom("a", "b", "\r\n", "😀", "😁", "\u{1FA00}")).map((parts) => parts.join(""));
    fc.assert(
      fc.property(texts, texts, (from, to) => {
        const { start, end, text } = findSmallestReplacement(from, to);
        assert.equal(from.slice(0, start) + text + from.slice(end), to);
        for (const part of [from.slice(0, start), text, from.slice(end)])
          assert.ok(part.isWellFormed() && !/(?<!\r)\n|\r(?!\n)/.test(part));
      }),
    );
  });
});
