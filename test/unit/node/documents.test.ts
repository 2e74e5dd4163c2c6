import assert from "node:assert/strict";
import { constants, getPriority } from "node:os";
import type { DocumentKind } from "../../../src/core/ports/workspace.ts";
import { readDocument } from "../../../src/node/documents/read-document.ts";
import { readPdf } from "../../../src/node/documents/read-pdf.ts";
import { MOST_SECONDS, runInWorker } from "../../../src/node/processes/event-loop.ts";
import { docxOf, pdfOf } from "../../support/documents.ts";
import { skipWithout } from "../../support/skips.ts";

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

  const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`word/${at}.xml`, new Uint8Array()]));
  const withBody = (start: string, end: string) =>
    docxOf("A", "B", [], {
      "word/document.xml": new TextEncoder().encode(
        `<!DOCTYPE x [<!ENTITY lol "lol"><!ENTITY lol9 "&lol;&lol;">]><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${start}${end}</w:body></w:document>`,
      ),
    });
  const bomb = docxOf("A", "B", [], { "word/bomb.xml": new Uint8Array(250_000_000) });
  for (const [name, content, error] of [
    ["a.pdf", "%PDF-1.4 and then nothing", "Invalid PDF structure."],
    ["a.pdf", "", "The PDF file is empty, i.e. its size is zero bytes."],
    ["a.pdf", pdfOf(" "), "it contains images and no text"],
    ["a.docx", "no archive", "it isn't a Word document, or it's damaged"],
    ["a.docx", docxOf("A", "B", []).subarray(0, 300), "it isn't a Word document, or it's damaged"],
    ["a.docx", bomb, "it would be too large unpacked"],
    ["a.docx", docxOf("A", "B", [], many), "it would be too large unpacked"],
    ["a.docx", withBody("<w:p>".repeat(20_000), "</w:p>".repeat(20_000)), "it isn't a Word document, or it's damaged"],
    ["a.docx", withBody("&lol9;", ""), "it isn't a Word document, or it's damaged"],
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

  it("is the text of the pages that can be read in time", async () => {
    assert.equal(
      await readPdf(Uint8Array.from(pdfOf("Hello", "Second", "Third")), 0),
      "[Page 1 of 3]\nHello\n\n[The other 2 pages are left out: the document is too long to be read at once]",
    );
  });
});

describe("a thread that reads a document", () => {
  it("is ended in time, and the reason is a clause", async () => {
    const endless = new URL(
      'data:text/javascript,import {parentPort} from "node:worker_threads"; parentPort.postMessage({ type: "loaded" }); for(;;);',
    );
    const { signal } = new AbortController();
    await assert.rejects(runInWorker(endless, {}, { seconds: 0.1, signal }), {
      name: "WorkerFailure",
      message: "it takes longer than 0.1 seconds",
    });
    assert.ok(MOST_SECONDS < 10);
  });

  it("has its time for the document alone, however long its code takes to load", async () => {
    const slow = new URL(
      'data:text/javascript,import {parentPort} from "node:worker_threads"; setTimeout(() => { parentPort.postMessage({ type: "loaded" }); parentPort.postMessage({ type: "answer", answer: "read" }); }, 300);',
    );
    const { signal } = new AbortController();
    assert.equal(await runInWorker(slow, {}, { seconds: 0.1, signal }), "read");
  });

  it("has the normal priority at first, and a low one when it takes long", async () => {
    skipWithout("Linux");
    const jobThread = new URL("../../../src/node/processes/job-thread.ts", import.meta.url);
    const patient = new URL(
      `data:text/javascript,${encodeURIComponent(`
        import { getPriority } from "node:os";
        import { answerJobs } from "${jobThread}";
        answerJobs(async () => async () => {
          const priorities = [getPriority()];
          while (getPriority() === priorities[0]);
          return [...priorities, getPriority()];
        });`)}`,
    );
    const { signal } = new AbortController();
    const { PRIORITY_BELOW_NORMAL } = constants.priority;
    const normal = getPriority();
    assert.ok(normal < PRIORITY_BELOW_NORMAL);
    assert.deepEqual(await runInWorker(patient, {}, { seconds: 30, signal }), [normal, PRIORITY_BELOW_NORMAL]);
    assert.equal(getPriority(), normal, "that of the program itself stays");
  });
});
