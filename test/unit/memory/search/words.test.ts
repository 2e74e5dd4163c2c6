import assert from "node:assert/strict";
import { visitTerms, visitWords } from "../../../../src/memory/search/words.ts";

function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  visitWords(text, (codes, length) => words.push(String.fromCharCode(...codes.subarray(0, length))));
  return words;
}

function termsOf(text: string): readonly number[] {
  const terms: number[] = [];
  visitTerms(text, (term) => terms.push(term));
  return terms;
}

describe("words", () => {
  it("with many marks on one letter are found in one pass, or this would take minutes", () => {
    assert.equal(wordsOf(`Pump a${"\u0301\u0323".repeat(200_000)} key`).length, 3);
  });

  it("are runs of letters and digits in lower case", () => {
    assert.deepEqual(wordsOf("Say 'Hello', x2: done."), ["say", "hello", "x2", "done"]);
  });

  it("are the parts of names as well as the whole", () => {
    assert.deepEqual(wordsOf("openMemory src/log_file.ts"), [
      "openmemory",
      "open",
      "memory",
      "src",
      "log",
      "file",
      "ts",
    ]);
  });

  it("are pairs of signs where a script does not set them apart", () => {
    assert.deepEqual(wordsOf("東京都 で"), ["東京", "京都", "で"]);
  });

  it("are the same however an accent is written", () => {
    assert.deepEqual(wordsOf("cafe\u0301"), wordsOf("CAFÉ"));
  });

  it("are cut when they are blobs", () => {
    assert.deepEqual(wordsOf("a".repeat(1_000_000)), ["a".repeat(48)]);
  });
});

describe("terms", () => {
  it("are one for words that differ in their ending", () => {
    assert.deepEqual(termsOf("query opened files classes"), termsOf("queries opening file class"));
  });

  it("leave out words that every text has", () => {
    assert.deepEqual(termsOf("what is the port of it"), termsOf("port"));
  });
});
