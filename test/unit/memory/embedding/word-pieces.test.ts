import assert from "node:assert/strict";
import fs from "node:fs";
import { WordPieces } from "../../../../src/memory/embedding/word-pieces.ts";

/** The numbers are those of the reference, Hugging Face's `tokenizers` 0.23.3 with this vocabulary. */
const { vocabulary, texts } = JSON.parse(
  fs.readFileSync(new URL("../../../fixtures/word-pieces.json", import.meta.url), "utf8"),
);

function vocabularyOf(tokens: readonly string[]): Map<string, number> {
  return new Map(tokens.map((token, id) => [token, id]));
}

describe("pieces of words", () => {
  it("are those of the reference, also of nasty texts", () => {
    const pieces = new WordPieces(vocabularyOf(vocabulary));
    const found = texts.map(([text]: [string]) => [text, pieces.listPieceIds(text, 512)]);
    assert.deepEqual(found, texts);
  });

  it("end where no more are wanted", () => {
    const pieces = new WordPieces(vocabularyOf(["[UNK]", "a", "##b"]));
    assert.deepEqual(pieces.listPieceIds("abb abb abb", 4), [1, 2, 2, 1]);
  });

  it("leave out what isn't known where the vocabulary has no number for it", () => {
    const pieces = new WordPieces(vocabularyOf(["a", "##b"]));
    assert.deepEqual(pieces.listPieceIds("ab xyz a", 9), [0, 1, 0]);
  });

  it("of a megabyte without a space are found after a few looks at the vocabulary", () => {
    let looks = 0;
    class CountedMap extends Map<string, number> {
      override get(token: string): number | undefined {
        looks += 1;
        return super.get(token);
      }
    }
    const pieces = new WordPieces(new CountedMap(vocabularyOf(["[UNK]", "x", "##x"])));
    const ids = pieces.listPieceIds("x".repeat(1_000_000), 256);
    assert.deepEqual([ids, looks < 10], [[0], true]);
  });
});
