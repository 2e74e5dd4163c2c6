import assert from "node:assert/strict";
import { hiddenChanges } from "../../../../src/vscode/diff/hidden-changes.ts";

describe("changes the diff does not mark", () => {
  it("are none where every changed line differs in more than white space", () => {
    assert.deepEqual(hiddenChanges("a\nb\n", "a\nB\nc\n"), []);
  });

  it("are lines that are only indented anew", () => {
    assert.deepEqual(hiddenChanges("if x:\n  a\nb\n", "if x:\n  a\n  b\n"), [
      "1 line changes only in white space at the start or end, which the diff may not mark.",
    ]);
  });

  it("are lines that end in another way", () => {
    assert.deepEqual(hiddenChanges("a\r\nb\r\nc", "a\nb\nC"), [
      "2 lines change in how they end (LF or CRLF), which the diff does not mark.",
    ]);
  });
});
