import assert from "node:assert/strict";
import { assertNever, getErrorMessage } from "../../../../src/core/base/errors.ts";
import { cutMiddle, cutText, formatCount, formatQuantity } from "../../../../src/core/base/text.ts";

describe("texts for people", () => {
  it("cuts a text to one line with an ellipsis that counts", () => {
    assert.deepEqual(
      { short: cutText(" a\n b ", 3), long: cutText("one two three", 8), exact: cutText("one two", 7) },
      { short: "a b", long: "one two…", exact: "one two" },
    );
  });

  it("cuts out the middle of a text", () => {
    assert.deepEqual(
      {
        short: cutMiddle("abcdef", 6),
        halves: cutMiddle("abcdefghij", 4),
        odd: cutMiddle("abcdefghij", 5),
        fraction: cutMiddle("abcdefghij", 4.5),
        mostlyHead: cutMiddle("abcdefghij", 4, "-", 3 / 4),
      },
      {
        short: "abcdef",
        halves: "ab […] ij",
        odd: "ab […] hij",
        fraction: "ab […] ij",
        mostlyHead: "abc-j",
      },
    );
  });

  it("counts things with their noun", () => {
    assert.deepEqual(
      {
        none: formatQuantity(0, "step"),
        one: formatQuantity(1, "step"),
        many: formatQuantity(12_345, "step"),
        irregular: formatQuantity(2, "entry", "entries"),
        plain: formatCount(1_000_000),
      },
      { none: "0 steps", one: "1 step", many: "12,345 steps", irregular: "2 entries", plain: "1,000,000" },
    );
  });

  it("reads the message of whatever was thrown", () => {
    assert.deepEqual(
      {
        error: getErrorMessage(new TypeError("wrong")),
        text: getErrorMessage("broken"),
        none: getErrorMessage(undefined),
      },
      { error: "wrong", text: "broken", none: "undefined" },
    );
  });

  it("names the value that no case handles", () => {
    assert.throws(() => assertNever({ kind: "new" } as never), {
      message: 'Unexpected value: {"kind":"new"}',
    });
  });
});
