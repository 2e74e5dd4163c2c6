import assert from "node:assert/strict";
import { OutputTail } from "../../../../src/editor/panel/terminal-text.ts";

/** A tail of at most ten characters that has been given these pieces. */
function tailOf(...pieces: readonly string[]): OutputTail {
  const tail = new OutputTail(10);
  for (const piece of pieces) tail.add(piece);
  return tail;
}

describe("the tail of an output", () => {
  it("is all of it while that is short", () => {
    assert.deepEqual(tailOf("abc", "def").read(), { text: "abcdef", cut: false });
  });

  it("loses its first pieces when it grows too long", () => {
    assert.deepEqual(tailOf("abcdef", "ghi", "jkl").read(), { text: "ghijkl", cut: true });
  });

  it("is cut to whole lines when one piece alone is too long", () => {
    assert.deepEqual(tailOf("first", "abcdefgh\nij\nkl\n").read(), { text: "ij\nkl\n", cut: true });
  });

  it("starts over once it is taken", () => {
    const tail = tailOf("abcdefghijklmno\n");
    tail.take();
    tail.add("x");
    assert.deepEqual(tail.read(), { text: "x", cut: false });
  });
});
