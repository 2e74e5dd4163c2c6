import assert from "node:assert/strict";
import { applyEdits } from "../../../../src/commands/files/apply-edits.ts";

const PYTHON = "class A:\n    def one(self):\n        return 1\n\n    def two(self):\n        return 2\n";

/** Texts, an edit, and the text after it: how far an edit may be from the text it means. */
const FOUND: readonly (readonly [what: string, text: string, search: string, replace: string, after: string])[] = [
  ["the very text", "a b c", "b", "x", "a x c"],
  ["a text with other line ends", "a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\n", "x\r\ny\r\nc\r\n"],
  ["a part of lines with other line ends", "one(\r\n  two)\r\n", "e(\n  t", "e(\n\n  t", "one(\r\n\r\n  two)\r\n"],
  ["line ends of several kinds", "a\r\nb\nc", "a\nb\nc", "x\ny", "x\r\ny"],
  ["line ends of several kinds that stay", "a\nb\r\nc\nd", "a\nb\nc", "a\nB\nC", "a\nB\r\nC\nd"],
  ["a new line among ends of several kinds", "a\nb\r\nc\r\n", "a", "a\nx", "a\nx\nb\r\nc\r\n"],
  ["lines that change places", "a\t1\nb\t2\n", "a 1\nb 2", "b 2\na 1", "b\t2\na\t1\n"],
  ["tabs between words that stay", "key\tvalue c", "key value c", "key value C", "key\tvalue C"],
  ["a tab between words that both change", "  a\tb\n", "a b", "c d", "  c\td\n"],
  [
    "no-break spaces and blanks at the ends of lines",
    "**one\u00a0two**  \n- three\u202ffour\t\n",
    "**one two**\n- three four",
    "**one two!**\nnew\n- three four",
    "**one\u00a0two!**  \nnew\n- three\u202ffour\t\n",
  ],
  [
    "other indents and tabs for alignment",
    "\tint\ta;\t// x\n\t\tint\tb;\n",
    "int a; // x\n    int b;",
    "int a; // y\n    int b;\n    int c;",
    "\tint\ta;\t// y\n\t\tint\tb;\n\t\tint c;\n",
  ],
  ["Windows line ends in a Unix file", "a\nb\n", "a\r\nb", "a\r\nx", "a\nx\n"],
  ["other space at the ends of lines", "a  \nb\t\nc\n", "a\nb\n", "x\n", "x\nc\n"],
  ["space that the file does not have", "a\nb\n", "a \nb  ", "x", "x\n"],
  [
    "a text without its indent",
    PYTHON,
    "def two(self):\n    return 2",
    "def two(self):\n    x = 2\n    return x",
    PYTHON.replace("        return 2", "        x = 2\n        return x"),
  ],
  ["a text indented too far", "if a:\n  b\n", "    if a:\n      b", "    if a:\n      b\n      c", "if a:\n  b\n  c\n"],
  [
    "tabs where the file has them and the search has none",
    "f() {\n\ta;\n\tb;\n}\n",
    "f() {\n  a;\n  b;\n}",
    "f() {\n  a;\n}",
    "f() {\n\ta;\n}\n",
  ],
  ["other space within lines", "\tlet a\t=  1;\n", "let a = 1;", "let a = 2;", "\tlet a\t=  2;\n"],
  ["a text between blank lines", "a\nb\nc\n", "\n  b\n", "\n  x\n", "a\nx\nc\n"],
];

describe("the text that an edit means", () => {
  for (const [what, text, search, replace, after] of FOUND)
    it(`is found as ${what}`, () => {
      const eol = text.includes("\r\n") ? "\r\n" : "\n";
      assert.deepEqual(applyEdits({ text, eol }, [{ search, replace, all: false }]), {
        text: after,
        places: 1,
      });
    });

  it("is the very text before anything that is only like it", () => {
    const edit = { search: "\tb\n", replace: "x\n", all: false };
    assert.deepEqual(applyEdits({ text: "b\n\tb\n  b\n", eol: "\n" }, [edit]), {
      text: "b\nx\n  b\n",
      places: 1,
    });
  });

  it("is never white space that is only like some", () => {
    const edited = applyEdits({ text: "a\n\n\nb\n", eol: "\n" }, [{ search: "   \n", replace: "x", all: false }]);
    assert.equal("problems" in edited, true);
  });
});
