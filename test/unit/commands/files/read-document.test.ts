import assert from "node:assert/strict";
import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createNodeDocuments } from "../../../../src/node/documents/documents.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { CommandBench } from "../../../support/command-bench.ts";
import { pdfOf } from "../../../support/documents.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const WORKER = new URL("../../../../src/node/documents/document-worker.ts", import.meta.url);

describe("read_file of a document", () => {
  const tempFolder = tempFolders();

  async function bench(name: string, content: string | Uint8Array): Promise<CommandBench> {
    const folder = await tempFolder();
    await writeFile(join(folder, name), content);
    const files = createNodeWorkspace({ folders: [{ name: "project", path: folder }] });
    return new CommandBench(folder, join(folder, ".autogpt"), {
      workspace: files,
      documents: createNodeDocuments({ files, workspace: files, worker: WORKER }),
    });
  }

  const EDIT = "\n\n[This is its text. To edit it, read it with source: true.]";

  it("is its text, made in a thread of its own", async () => {
    const pdf = await bench("a.pdf", pdfOf("Hello there", "Second"));
    assert.deepEqual(await pdf.try("read_file", { filename: "a.pdf" }), {
      preview: { kind: "details", text: 'Read the text of "a.pdf".' },
      outcome: {
        status: "done",
        output: "The text of a.pdf, 5 lines\n[Page 1 of 2]\nHello there\n\n[Page 2 of 2]\nSecond",
      },
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
        output: `${name}, ${text.includes("\n") ? "2 lines" : "1 line"}\n${text}`,
      });
    });

  it("reads a page's source when that is wanted", async () => {
    const page = await bench("a.html", "<p>One</p>");
    assert.deepEqual(await page.call("read_file", { filename: "a.html", source: true }), {
      status: "done",
      output: "a.html, 1 line\n<p>One</p>",
    });
  });

  it("reads a page in an old encoding", async () => {
    const page = await bench("a.html", Buffer.from("<p>Gr\xfc\xdfe aus K\xf6ln</p>", "latin1"));
    assert.deepEqual(await page.call("read_file", { filename: "a.html" }), {
      status: "done",
      output: `The text of a.html, 1 line\nGrüße aus Köln${EDIT}`,
    });
  });

  for (const [name, content, why] of [
    ["a.docx", "no archive", "it isn't a Word document, or it's damaged"],
    ["a.html", new Uint8Array([0, 1, 2, 3]), "it is binary"],
  ] as const)
    it(`says why it cannot read ${name}: ${why}`, async () => {
      assert.deepEqual(await (await bench(name, content)).call("read_file", { filename: name }), {
        status: "failed",
        error: `"${name}" could not be read: ${why}. Try another file, or look at it with a program of your own.`,
      });
    });

  it("does not read what is far too large", async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, "a.pdf"), "%PDF");
    await truncate(join(folder, "a.pdf"), 1_000_000_000);
    const files = createNodeWorkspace({ folders: [{ name: "project", path: folder }] });
    const place = { ...(await files.locate("a.pdf")) };
    const documents = createNodeDocuments({ files, workspace: files, worker: WORKER });
    await assert.rejects(documents.extractText(place, "pdf", new AbortController().signal), {
      message:
        '"a.pdf" has 1000 MB, and documents are read up to 100 MB. Ask the user for a smaller part of it, or take it apart with a program.',
    });
  });
});
