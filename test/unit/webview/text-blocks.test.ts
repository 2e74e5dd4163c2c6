import assert from "node:assert/strict";
import fc from "fast-check";
import { type Block, textBlocks } from "../../../src/webview/text-blocks.ts";

const plain = (text: string) => ({ text, code: false });
const code = (text: string) => ({ text, code: true });

describe("the blocks of a text", () => {
  it("are paragraphs, lists and code", () => {
    const text = "I look.\nThen:\n\n- run `npm test`\n- read\n  it\n\n```ts\nlet a;\n\n- b\n```\nDone.";
    assert.deepEqual(textBlocks(text), [
      { kind: "paragraph", spans: [plain("I look.\nThen:")] },
      { kind: "list", items: [[plain("run "), code("npm test")], [plain("read\nit")]] },
      { kind: "code", text: "let a;\n\n- b" },
      { kind: "paragraph", spans: [plain("Done.")] },
    ] satisfies Block[]);
  });

  it("keep the numbers of what is numbered, so that an answer can name one", () => {
    assert.deepEqual(textBlocks("Which?\n2. tea\n3) coffee\n- none"), [
      { kind: "paragraph", spans: [plain("Which?")] },
      { kind: "list", items: [[plain("tea")], [plain("coffee")]], from: 2 },
      { kind: "list", items: [[plain("none")]] },
    ] satisfies Block[]);
  });

  it("leave links, images and HTML as the text they are", () => {
    const text = "![x](https://evil.example/?q=1) <img src=x onerror=alert(1)> [a](command:b)";
    assert.deepEqual(textBlocks(text), [{ kind: "paragraph", spans: [plain(text)] }]);
  });

  it("run to the end while a fence is still open", () => {
    assert.deepEqual(textBlocks("```\nnpm te"), [{ kind: "code", text: "npm te" }]);
  });

  it("lose no word, whatever the text", () => {
    const letters = (text: string): string => text.replace(/[^a-z]/g, "");
    const shown = (block: Block): string =>
      block.kind === "code"
        ? block.text
        : (block.kind === "list" ? block.items.flat() : block.spans).map((span) => span.text).join("");
    const line = fc.constantFrom("", "- abc", "def `g` h", "  ijk", "1. lmn", "op * q");
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        const text = lines.join("\n");
        assert.equal(letters(textBlocks(text).map(shown).join("")), letters(text));
      }),
    );
  });
});
