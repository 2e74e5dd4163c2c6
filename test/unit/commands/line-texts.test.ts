import assert from "node:assert/strict";
import { formatLinesHeader, numberLines, stripLineNumbers } from "../../../src/commands/line-texts.ts";

describe("lines in an outcome", () => {
  it("have a header with the file, the range and the total", () => {
    assert.deepEqual(
      [
        formatLinesHeader("a.ts", 1, 12, 12),
        formatLinesHeader("a.ts", 2, 12, 3456),
        formatLinesHeader("a.ts", 7, 7, 9),
      ],
      ["a.ts, 12 lines", "a.ts, lines 2 to 12 of 3,456", "a.ts, line 7 of 9"],
    );
  });

  it("lose their numbers again, if they follow each other", () => {
    const text = numberLines(["a", "", "  b: c"], 9);
    assert.deepEqual(
      [text, stripLineNumbers(text), stripLineNumbers("1: a\n3: b"), stripLineNumbers("a")],
      ["9: a\n10: \n11:   b: c", "a\n\n  b: c", undefined, undefined],
    );
  });
});
