import assert from "node:assert/strict";
import { describeHiddenChanges, describeMissingLines } from "../../../../src/editor/review/hidden-changes.ts";

const NESTED = `function total(items, rate) {
  let sum = 0;
  for (const item of items) {
    if (item.discount) {
      sum += item.price * (1 - item.discount);
    } else {
      sum += item.price;
    }
  }
  return sum * (1 + rate);
}
`;

const FLAT = `function total(items, rate) {
  const net = items.reduce((sum, item) => sum + priceOf(item), 0);
  return net * (1 + rate);
}

function priceOf({ price, discount = 0 }) {
  return price * (1 - discount);
}
`;

describe("changes the diff does not mark", () => {
  it("are none where every changed line differs in more than white space", () => {
    assert.deepEqual(describeHiddenChanges("a\nb\n", "a\nB\nc\n"), []);
  });

  it("are lines that are only reindented", () => {
    assert.deepEqual(describeHiddenChanges("if x:\n  a\nb\n", "if x:\n  a\n  b\n"), [
      "1 line changes only in white space at the start or end, which the diff may not mark.",
    ]);
  });

  it("are no braces between large changes, which the diff shows as deleted and added", () => {
    assert.deepEqual(describeHiddenChanges(NESTED, FLAT), []);
  });

  it("are lines next to a copy of theirs that stays as it is", () => {
    assert.deepEqual(describeHiddenChanges("a {\n  b\n}\n", "a {\n  if c {\n    b\n  }\n}\n"), [
      "1 line changes only in white space at the start or end, which the diff may not mark.",
    ]);
  });

  it("are lines that end in another way", () => {
    assert.deepEqual(describeHiddenChanges("a\r\nb\r\nc", "a\nb\nC"), [
      "2 lines change in how they end (LF or CRLF), which the diff does not mark.",
    ]);
  });
});

describe("lines that are gone from a whole file", () => {
  it("are those without others in their place", () => {
    const before = "a\nb\nc\nd\n\ne\n";
    assert.deepEqual(describeMissingLines(before, "a\n# the rest stays\ne\n"), [
      "2 lines of the file are not in the new text.",
    ]);
    assert.deepEqual(describeMissingLines(before, "a\nb\nc\nd\n"), ["1 line of the file is not in the new text."]);
  });

  it("aren't those that change, move or are blank", () => {
    const before = "a\nb\n\nc\n";
    assert.deepEqual(describeMissingLines(before, "a\nB\nC\n"), []);
    assert.deepEqual(describeMissingLines(before, "c\n  b\na\n"), []);
  });
});
