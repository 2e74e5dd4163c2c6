import assert from "node:assert/strict";
import { selectTextPage } from "../../../src/commands/text-page.ts";

describe("a page of a text", () => {
  it("is the text itself when that fits, with or without a line end at its end", () => {
    assert.deepEqual(
      [selectTextPage(""), selectTextPage("a"), selectTextPage("a\n"), selectTextPage("a\n\n")],
      [
        { text: "", lines: 0, last: 0 },
        { text: "a", lines: 1, last: 1 },
        { text: "a", lines: 1, last: 1 },
        { text: "a\n", lines: 2, last: 2 },
      ],
    );
  });

  it("ends before it grows too long, at a line's end", () => {
    const { text, note } = selectTextPage(`${"x".repeat(1999)}\n`.repeat(30));
    assert.deepEqual([text.length, note], [24 * 2000 - 1, "[Lines 1 to 24 of 30. Read on with start_line 25.]"]);
  });

  it("leaves the lines to a header, and keeps to the room that it has", () => {
    const options = { room: 4, isNamed: true };
    assert.deepEqual(selectTextPage("a\nb\nc\n", 1, undefined, options), {
      text: "a\nb",
      lines: 3,
      last: 2,
      note: "[Read on with start_line 3.]",
    });
  });

  it("cuts lines that are too long, and says so", () => {
    const { text, note } = selectTextPage(`${"x".repeat(5000)}\nshort\n`);
    assert.deepEqual(
      [text, note],
      [
        `${"x".repeat(2000)}… [3,000 more characters in this line]\nshort`,
        "[1 line is longer than 2,000 characters and cut; use search_files or execute_shell (cut -c) for the rest.]",
      ],
    );
  });

  it("does not ask to read on when all that was asked for is there", () => {
    assert.deepEqual(selectTextPage("a\nb\nc\n", 2, 2), {
      text: "b",
      lines: 3,
      last: 2,
      note: "[Lines 2 to 2 of 3.]",
    });
  });
});
