import assert from "node:assert/strict";
import fc from "fast-check";
import { splitIntoChunks } from "../../../../src/memory/recall/documents.ts";

const LINES = Array.from({ length: 60 }, (_, index) => `Line ${index + 1} says something.`);

describe("the pieces of a text", () => {
  it("are one when it is short", () => {
    assert.deepEqual(splitIntoChunks(" short\ntext \n"), [{ text: "short\ntext", fromLine: 1, toLine: 2 }]);
  });

  it("end at paragraphs where they can", () => {
    const text = `${"a ".repeat(40).trim()}\n\n${"b ".repeat(40).trim()}`;
    assert.deepEqual(
      splitIntoChunks(text, 100, 0).map((piece) => piece.text[0]),
      ["a", "b"],
    );
  });

  it("give the lines they are from", () => {
    const pieces = splitIntoChunks(LINES.join("\n"), 400, 0);
    assert.deepEqual(
      pieces.map(({ fromLine, text }) => text.startsWith(`Line ${fromLine} `)),
      pieces.map(() => true),
    );
  });

  it("hold every word of the text, and none is too long", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 600, unit: "grapheme" }), fc.integer({ min: 20, max: 80 }), (text, max) => {
        const pieces = splitIntoChunks(text, max, 8);
        const words = text.split(/\s+/).filter((word) => word !== "" && word.length < max / 2);
        const told = pieces.map((piece) => piece.text).join("\n");
        assert.deepEqual(
          {
            missing: words.filter((word) => !told.includes(word)),
            long: pieces.filter((piece) => piece.text.length > max + 1),
          },
          { missing: [], long: [] },
        );
      }),
    );
  });

  it("are made of a text of a megabyte", () => {
    assert.equal(splitIntoChunks("word ".repeat(200_000)).length > 600, true);
  });

  it("are none of a text without a word", () => {
    assert.deepEqual(splitIntoChunks(" \n\t \n"), []);
  });
});
