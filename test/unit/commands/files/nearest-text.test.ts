import assert from "node:assert/strict";
import { describeNearestText } from "../../../../src/commands/files/nearest-text.ts";
import { numberLines } from "../../../../src/commands/line-texts.ts";

const TEXT = "import a;\n\nfunction add(a, b) {\n  const sum = a + b;\n  return sum;\n}\n\nexport { add };\n";

describe("the text nearest to one that is not there", () => {
  it("is where most of its lines are", () => {
    assert.equal(
      describeNearestText(TEXT, "function add(x, y) {\n  const sum = a + b;\n  return sum;\n}"),
      "The nearest text is lines 3 to 6:\n3: function add(a, b) {\n4:   const sum = a + b;\n5:   return sum;\n6: }",
    );
  });

  it("is the line that is most like its first when no line is the same", () => {
    assert.equal(
      describeNearestText(TEXT, "const summe = a+b"),
      "The nearest text is line 4:\n4:   const sum = a + b;",
    );
  });

  /** A text, what is searched, and what can't be seen of their difference. */
  const HIDDEN: readonly (readonly [text: string, search: string, says: string])[] = [
    ["un été\n".normalize("NFD"), "un été", "its letters in Unicode form NFD where yours has NFC"],
    ["한국어 글\n".normalize("NFD"), "한국어 글", "its letters in Unicode form NFD where yours has NFC"],
    ["let x\u00a0= 5; // five\n", "let x = 5;", '"\\u00a0" where yours has " "'],
    ["say “yes” to it\n", 'say "yes" to it now', ""],
    ["say “yes” to it\n", 'say "yes" to it', '"\\u201c" where yours has "\\"", and "\\u201d" where yours has "\\""'],
    ["if (а) return\tb;\n", "if (a) return b;", '"\\u0430" where yours has "a", and "\\t" where yours has " "'],
    ["foo\u200bbar(1)\n", "foobar(1)", '"\\u200b" where yours has nothing'],
  ];

  for (const [text, search, says] of HIDDEN)
    it(`shows what can't be seen in it: ${JSON.stringify(says)}`, () => {
      const [, difference = ""] = /\nLine 1 has (.*)\.$/s.exec(describeNearestText(text, search)) ?? [];
      assert.equal(difference, says);
    });

  it("is none when nothing is like it", () => {
    assert.deepEqual(
      [describeNearestText(TEXT, "0123456789"), describeNearestText("", "x"), describeNearestText(TEXT, "\n")],
      ["", "", ""],
    );
  });

  it("is quoted in part when it is long", () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    const quote = describeNearestText(lines.join("\n"), [...lines, "one more"].join("\n"));
    assert.equal(quote, `The nearest text is lines 1 to 30:\n${numberLines(lines.slice(0, 30), 1)}`);
  });
});
