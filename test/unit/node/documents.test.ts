import assert from "node:assert/strict";
import type { DocumentKind } from "../../../src/core/ports/workspace.ts";
import { readDocument } from "../../../src/node/documents/read-document.ts";
import { docxOf, pdfOf } from "../../support/documents.ts";

function jobOf(name: string, content: string | Uint8Array) {
  const kinds: Readonly<Record<string, DocumentKind>> = { pdf: "pdf", docx: "docx" };
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : Uint8Array.from(content);
  return { kind: kinds[name.split(".")[1] ?? ""] ?? "html", bytes } as const;
}

describe("the text of a document", () => {
  for (const [name, content, text] of [
    ["a.pdf", pdfOf("Hello there", "Second"), "[Page 1 of 2]\nHello there\n\n[Page 2 of 2]\nSecond"],
    [
      "a.docx",
      docxOf("Plan", "Some text.", [
        ["a", "b"],
        ["1", "2"],
      ]),
      "# Plan\n\nSome text.\n\n| a | b |\n| --- | --- |\n| 1 | 2 |",
    ],
    [
      "a.html",
      "<html><head><title>T</title><style>p{}</style></head><body><h1>Head</h1><p>One <a href='x'>link</a></p><script>x()</script></body></html>",
      `# T\n\n# Head\n\nOne [link](x)`,
    ],
    ["part.htm", "<p>One</p><p>Two</p>", `One\n\nTwo`],
  ] as const)
    it(`is made of ${name}`, async () => {
      assert.deepEqual(await readDocument(jobOf(name, content)), { text });
    });

  const bomb = docxOf("A", "B", [], { "word/bomb.xml": new Uint8Array(250_000_000) });
  for (const [name, content, error] of [
    ["a.pdf", "%PDF-1.4 and then nothing", "Invalid PDF structure."],
    ["a.pdf", "", "The PDF file is empty, i.e. its size is zero bytes."],
    ["a.pdf", pdfOf(" "), "it contains images and no text"],
    ["a.docx", "no archive", "it isn't a Word document, or it's damaged"],
    ["a.docx", docxOf("A", "B", []).subarray(0, 300), "it isn't a Word document, or it's damaged"],
    ["a.docx", bomb, "it would be too large unpacked"],
  ] as const)
    it(`is not made of ${name}, and why: ${error}`, async () => {
      assert.deepEqual(await readDocument(jobOf(name, content)), { error });
    });

  it("takes no more of a file in an archive than the archive says there is", async () => {
    const liar = Buffer.from(docxOf("A", "B", [], { "word/more.xml": new Uint8Array(1_000_000) }));
    // What the archive says of the size of its last file, in its directory.
    liar.writeUInt32LE(10, liar.lastIndexOf("word/more.xml") - 46 + 24);
    assert.deepEqual(await readDocument({ kind: "docx", bytes: liar }), { text: "# A\n\nB" });
  });
});
