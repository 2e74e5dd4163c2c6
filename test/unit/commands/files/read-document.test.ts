import assert from "node:assert/strict";
import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { nodeDocuments } from "../../../../src/node/documents/documents.ts";
import { nodeWorkspace } from "../../../../src/node/workspace.ts";
import { CommandBench } from "../../../support/command-bench.ts";
import { docxOf, pdfOf } from "../../../support/documents.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const WORKER = new URL("../../../../src/node/documents/document-worker.ts", import.meta.url);

const NOTEBOOK = JSON.stringify({
  cells: [
    { cell_type: "markdown", source: ["# Title\n", "Text."] },
    {
      cell_type: "code",
      source: "print(1)",
      outputs: [
        { output_type: "stream", text: ["1\n"] },
        { output_type: "execute_result", data: { "text/plain": ["2"], "image/png": "AAAA" } },
        { output_type: "error", ename: "ValueError", evalue: "no" },
      ],
    },
  ],
  metadata: { kernelspec: { language: "python" } },
});

describe("read_file of a document", () => {
  const tempFolder = tempFolders();

  async function bench(name: string, content: string | Uint8Array): Promise<CommandBench> {
    const folder = await tempFolder();
    await writeFile(join(folder, name), content);
    const files = nodeWorkspace({ folders: [{ name: "project", path: folder }] });
    return new CommandBench(folder, join(folder, ".autogpt"), {
      workspace: files,
      documents: nodeDocuments({ files, workspace: files, worker: WORKER }),
    });
  }

  const EDIT = "\n\n[This is its text. To edit it, read it with source: true.]";
  for (const [name, content, output] of [
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
      `# T\n\n# Head\n\nOne [link](x)${EDIT}`,
    ],
    ["part.htm", "<p>One</p><p>Two</p>", `One\n\nTwo${EDIT}`],
    [
      "a.ipynb",
      NOTEBOOK,
      `[Cell 1]\n# Title\nText.\n\n[Cell 2]\n\`\`\`python\nprint(1)\n\`\`\`\nOutput:\n1\nOutput:\n2\nOutput:\nValueError: no${EDIT}`,
    ],
  ] as const)
    it(`makes text of ${name}`, async () => {
      assert.deepEqual(await (await bench(name, content)).call("read_file", { filename: name }), {
        status: "done",
        output,
      });
    });

  for (const [name, text] of [
    ["a.csv", "a,b\n1,2"],
    ["a.json", '{"a": 1}'],
    ["a.yaml", "a: 1"],
    ["a.xml", "<a>1</a>"],
    ["a.md", "# A"],
    ["a.tex", "\\section{A}"],
  ] as const)
    it(`reads ${name} as the text that it is`, async () => {
      assert.deepEqual(await (await bench(name, text)).call("read_file", { filename: name }), {
        status: "done",
        output: text,
      });
    });

  it("reads a page's source when that is wanted", async () => {
    const page = await bench("a.html", "<p>One</p>");
    assert.deepEqual(await page.call("read_file", { filename: "a.html", source: true }), {
      status: "done",
      output: "<p>One</p>",
    });
  });

  it("reads a page in an old encoding", async () => {
    const page = await bench("a.html", Buffer.from("<p>Gr\xfc\xdfe aus K\xf6ln</p>", "latin1"));
    assert.deepEqual(await page.call("read_file", { filename: "a.html" }), {
      status: "done",
      output: `Grüße aus Köln${EDIT}`,
    });
  });

  const bomb = docxOf("A", "B", [], { "word/bomb.xml": new Uint8Array(250_000_000) });
  for (const [name, content, why] of [
    ["a.pdf", "%PDF-1.4 and then nothing", "Invalid PDF structure"],
    ["a.pdf", "", "The PDF file is empty, i.e. its size is zero bytes"],
    ["a.pdf", pdfOf(" "), "it holds pictures and no text"],
    ["a.docx", "no archive", "it is no Word document, or a damaged one"],
    ["a.docx", docxOf("A", "B", []).subarray(0, 300), "it is no Word document, or a damaged one"],
    ["a.docx", bomb, "it would be too large unpacked"],
    ["a.ipynb", "{", "it is no Jupyter notebook, for it is no JSON"],
    ["a.ipynb", '{"cells": 3}', "it is no Jupyter notebook"],
    ["a.html", new Uint8Array([0, 1, 2, 3]), "it is binary"],
  ] as const)
    it(`says why it cannot read ${name}: ${why}`, async () => {
      assert.deepEqual(await (await bench(name, content)).call("read_file", { filename: name }), {
        status: "failed",
        error: `"${name}" could not be read: ${why}. Try another file, or look at it with a program of your own.`,
      });
    });

  it("takes no more of a file in an archive than the archive says there is", async () => {
    const liar = Buffer.from(docxOf("A", "B", [], { "word/more.xml": new Uint8Array(1_000_000) }));
    // What the archive says of the size of its last file, in its directory.
    liar.writeUInt32LE(10, liar.lastIndexOf("word/more.xml") - 46 + 24);
    assert.deepEqual(await (await bench("a.docx", liar)).call("read_file", { filename: "a.docx" }), {
      status: "done",
      output: "# A\n\nB",
    });
  });

  it("does not read what is far too large", async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, "a.pdf"), "%PDF");
    await truncate(join(folder, "a.pdf"), 1_000_000_000);
    const files = nodeWorkspace({ folders: [{ name: "project", path: folder }] });
    const place = { ...(await files.locate("a.pdf")) };
    const documents = nodeDocuments({ files, workspace: files, worker: WORKER });
    await assert.rejects(documents.textOf(place, "pdf", new AbortController().signal), {
      message:
        '"a.pdf" has 1000 MB, and documents are read up to 100 MB. Ask the user for a smaller part of it, or take it apart with a program.',
    });
  });
});
