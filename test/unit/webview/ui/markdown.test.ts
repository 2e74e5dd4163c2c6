import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type MarkdownBlock,
  type MarkdownSpan,
  readMarkdown,
  shortenAddress,
} from "../../../../src/webview/ui/markdown.ts";
import { cpuTime } from "../../../support/cpu-time.ts";

const plain = (text: string): MarkdownSpan => ({ kind: "text", text });
const code = (text: string): MarkdownSpan => ({ kind: "code", text });
const paragraph = (...spans: readonly MarkdownSpan[]): MarkdownBlock => ({ kind: "paragraph", spans });

describe("a model's Markdown", () => {
  it("is read as headings, paragraphs, lists, tables, quotes and code", () => {
    const text =
      "## Result\nI **look**.\nThen:\n\n- run `npm test`\n- read\n  it\n\n| a | b |\n|---|---|\n| 1 | *2* |\n\n> so\n\n---\n\n```ts\nlet a;\n\n- b\n```\nDone.";
    assert.deepEqual(readMarkdown(text), [
      { kind: "heading", level: 2, spans: [plain("Result")] },
      paragraph(plain("I "), { kind: "strong", spans: [plain("look")] }, plain(".\nThen:")),
      {
        kind: "list",
        items: [[paragraph(plain("run "), code("npm test"))], [paragraph(plain("read\nit"))]],
      },
      {
        kind: "table",
        rows: [
          [[plain("a")], [plain("b")]],
          [[plain("1")], [{ kind: "em", spans: [plain("2")] }]],
        ],
      },
      { kind: "quote", blocks: [paragraph(plain("so"))] },
      { kind: "rule" },
      { kind: "code", text: "let a;\n\n- b", language: "ts" },
      paragraph(plain("Done.")),
    ] satisfies MarkdownBlock[]);
  });

  it("has the box of a task in the line of its words", () => {
    assert.deepEqual(readMarkdown("- [x] look\n- [ ] fix **it**"), [
      {
        kind: "list",
        items: [
          [paragraph(plain("☑ "), plain("look"))],
          [paragraph(plain("☐ "), plain("fix "), { kind: "strong", spans: [plain("it")] })],
        ],
      },
    ] satisfies MarkdownBlock[]);
  });

  it("keeps the numbers of what is numbered, so that an answer can name one", () => {
    assert.deepEqual(readMarkdown("2. tea\n3. coffee"), [
      { kind: "list", items: [[paragraph(plain("tea"))], [paragraph(plain("coffee"))]], from: 2 },
    ] satisfies MarkdownBlock[]);
  });

  it("leaves HTML, links to anything but the web and the workspace, and definitions as the text they are", () => {
    const texts = [
      "<img src=x onerror=alert(1)>",
      "a <b>c</b>",
      "[a](command:b)",
      "[a](file:///etc)",
      "[a]: https://b.c",
    ];
    const shown = texts.map((text) =>
      readMarkdown(text)
        .map((block) => (block.kind === "paragraph" ? words(block) : block.kind))
        .join(""),
    );
    assert.deepEqual(shown, texts);
  });

  it("shows the whole host of a link, however long its address is", () => {
    const host = `https://www.good.example.${"a.".repeat(40)}evil.example/`;
    assert.deepEqual([`${host}path`, `https://a.b/${"c".repeat(100)}`, "https://a.b/c"].map(shortenAddress), [
      `${host}…`,
      `https://a.b/${"c".repeat(68)}…`,
      "https://a.b/c",
    ]);
  });

  it("has links and pictures as links that keep where they lead", () => {
    const text = "[docs](https://ex\u0430mple.com/a) ![shot](http://evil.example/?q=1) [code](src/a.ts)";
    assert.deepEqual(readMarkdown(text), [
      paragraph(
        { kind: "link", spans: [plain("docs")], address: "https://xn--exmple-4nf.com/a" },
        plain(" "),
        { kind: "link", spans: [plain("shot")], address: "http://evil.example/?q=1" },
        plain(" "),
        { kind: "file", spans: [plain("code")], file: "src/a.ts" },
      ),
    ] satisfies MarkdownBlock[]);
  });

  it("runs to the end while a fence is still open", () => {
    assert.deepEqual(readMarkdown("```\nnpm te"), [{ kind: "code", text: "npm te", language: "" }]);
  });

  it("takes little time and no stack, however it is nested or repeated", () => {
    const hostile = [
      ">",
      "> ",
      "- ",
      "1. ",
      "> - ",
      "[",
      "![",
      "[a](",
      "*a **b ",
      "~~a ~b",
      "<a ",
      "|a",
      "`a``b",
      "\\",
      "a@b.",
    ];
    const took = cpuTime();
    const blocks = hostile.map((piece) => readMarkdown(piece.repeat(12_000 / piece.length)).length);
    const ms = took();
    assert.deepEqual({ read: blocks.every((count) => count > 0), fast: ms < 3_000 }, { read: true, fast: true });
  });

  it("leaves a text that is too long, and a table that is too large, as they are", () => {
    const long = "**a** ".repeat(3_000);
    const table = `|a|b|\n|-|-|\n${"|1|2|\n".repeat(600)}`.trimEnd();
    assert.deepEqual(
      [readMarkdown(long), readMarkdown(table)],
      [[paragraph(plain(long))], [{ kind: "code", text: table, language: "" }]],
    );
  });

  it("loses no word, whatever the text", () => {
    const letters = (text: string): string => text.replace(/[^a-z]/g, "");
    const line = fc.constantFrom(
      "",
      "- abc",
      "def `g` h",
      "  ijk",
      "1. lmn",
      "op * q",
      "# r",
      "> st",
      "|u|v|",
      "|-|-|",
      "~~w~~",
      "<x>",
      "[y](z)",
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        const text = lines.join("\n");
        assert.deepEqual(letters(readMarkdown(text).map(words).join("")), letters(text));
      }),
    );
  });
});

/** All that is shown of a block, with where links to files lead. */
function words(block: MarkdownBlock): string {
  switch (block.kind) {
    case "paragraph":
    case "heading":
      return block.spans.map(spoken).join("");
    case "code":
      return block.text;
    case "list":
      return block.items.flat().map(words).join("");
    case "quote":
      return block.blocks.map(words).join("");
    case "table":
      return block.rows.flat(2).map(spoken).join("");
    case "rule":
      return "";
  }
}

function spoken(span: MarkdownSpan): string {
  if ("text" in span) return span.text;
  return `${span.spans.map(spoken).join("")}${span.kind === "file" ? span.file : ""}`;
}
