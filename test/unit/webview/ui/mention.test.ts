import assert from "node:assert/strict";
import { completeMention, findMentionBeforeCaret } from "../../../../src/webview/ui/composer.ts";

describe("the mention of a file", () => {
  it("begins with an @ at the beginning of a word and ends at the caret", () => {
    const texts = ["@", "see @src/a", "mail me@home", "(@x", "@a b", "a @b@c", "line\n@d"];
    assert.deepEqual(
      texts.map((text) => findMentionBeforeCaret(text, text.length)),
      [
        { start: 0, query: "" },
        { start: 4, query: "src/a" },
        undefined,
        { start: 1, query: "x" },
        undefined,
        undefined,
        { start: 5, query: "d" },
      ],
    );
  });

  it("is looked for before the caret alone", () => {
    assert.deepEqual(findMentionBeforeCaret("read @par and go on", 9), { start: 5, query: "par" });
  });

  it("is completed with its path and a space, and the caret goes behind both", () => {
    assert.deepEqual(completeMention("read @par", { start: 5, query: "par" }, "src/parser.ts"), {
      text: "read @src/parser.ts ",
      caret: 20,
    });
  });

  it("takes the space that is there already", () => {
    assert.deepEqual(completeMention("read @par and", { start: 5, query: "par" }, "a.ts"), {
      text: "read @a.ts and",
      caret: 11,
    });
  });
});
