import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isPrepared } from "../../../../src/core/commands/command.ts";
import { ModelError } from "../../../../src/core/ports/model.ts";
import { nodeDocuments } from "../../../../src/node/documents/documents.ts";
import { nodeWorkspace } from "../../../../src/node/workspace.ts";
import { CommandBench } from "../../../support/command-bench.ts";
import { pdfOf } from "../../../support/documents.ts";
import { type Answer, FakeModel } from "../../../support/fake-model.ts";
import { fakeServices } from "../../../support/fake-services.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const WORKER = new URL("../../../../src/node/documents/document-worker.ts", import.meta.url);

describe("read_file with a question", () => {
  const tempFolder = tempFolders();

  async function benched(files: Readonly<Record<string, string | Uint8Array>>, answers: readonly Answer[]) {
    const folder = await tempFolder();
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    const workspace = nodeWorkspace({ folders: [{ name: "project", path: folder }] });
    const documents = nodeDocuments({ files: workspace, workspace, worker: WORKER });
    const model = new FakeModel(answers);
    const services = fakeServices({ fast: async () => model });
    const bench = new CommandBench(folder, join(folder, ".autogpt"), { workspace, documents, services });
    return { bench, model, folder };
  }

  const answer = (text: string, ...quotes: readonly string[]): Answer => ({
    text: JSON.stringify({ answer: text, quotes }),
  });

  it("answers it from the text of a document, with quotes that are really there, and counts the cost", async () => {
    const { bench, folder } = await benched({ "pump.pdf": pdfOf("The pump is blue", "The cellar") }, [
      answer("It's blue.", "pump is blue", "pump is red"),
    ]);
    const prepared = await bench.prepare("read_file", { filename: "pump.pdf", question: "Which color?" });
    assert.ok(isPrepared(prepared));
    const { effect, preview, touches } = prepared;
    assert.deepEqual(
      { effect, preview, touches, outcome: await bench.run(prepared), recorded: bench.recorded },
      {
        effect: "read",
        preview: {
          kind: "details",
          text: 'Have the fast model answer from the text of "pump.pdf": Which color?',
        },
        touches: [{ path: join(folder, "pump.pdf"), how: "read" }],
        outcome: {
          status: "done",
          output:
            'Answer from the text of pump.pdf, 5 lines\nIt\'s blue.\n\nQuotes:\n- "pump is blue" (line 2)',
        },
        recorded: [{ type: "spent", on: "reading pump.pdf", model: "fake", costUsd: 0.001 }],
      },
    );
  });

  const long = Array.from({ length: 9_000 }, (_, at) => `${at + 1}: ${"word ".repeat(10)}`).join("\n");

  it("reads eight parts of a long file at most, and names the lines that are left", async () => {
    const notes = async ({ messages }: { readonly messages: readonly { readonly content: string }[] }) => ({
      text: messages[1]?.content.includes("notes on several parts")
        ? "All words."
        : '{"answer": "Words.", "quotes": []}',
    });
    const { bench, model } = await benched({ "a.txt": long }, [notes]);
    const whole = await bench.call("read_file", { filename: "a.txt", question: "Summarize" });
    const calls = model.requests.length;
    const some = await bench.call("read_file", {
      filename: "a.txt",
      question: "Summarize",
      start_line: 8_990,
    });
    assert.deepEqual(
      { whole, calls, some, later: model.requests.length - calls },
      {
        whole: {
          status: "done",
          output:
            "Answer from a.txt, 9,000 lines\nAll words.\n\n[The file is long, and these lines were not read: 3387 to 9000. Ask about them with start_line and end_line.]",
        },
        calls: 9,
        some: { status: "done", output: "Answer from a.txt, lines 8,990 to 9,000 of 9,000\nWords." },
        later: 1,
      },
    );
  });

  it("gives the file where the model can't be asked", async () => {
    const { bench } = await benched({ "a.txt": "one\n" }, [
      new ModelError("busy", "The server is overloaded."),
    ]);
    assert.deepEqual(await bench.call("read_file", { filename: "a.txt", question: "What?" }), {
      status: "done",
      output:
        "[The question could not be put to the model that reads files: The server is overloaded. This is the file itself.]\n\na.txt, 1 line\none",
    });
  });

  it("asks about one file, marks what an ignored one says, and asks nobody about an empty one", async () => {
    const files = { "a.txt": "one", "b.log": "two", ".gitignore": "*.log", "c.txt": "" };
    const { bench, model } = await benched(files, [answer("Two.")]);
    assert.deepEqual(
      [
        await bench.call("read_file", { filename: "a.txt", files: ["b.log"], question: "What?" }),
        await bench.call("read_file", { filename: "b.log", question: "What?" }),
        await bench.call("read_file", { filename: "c.txt", question: "What?" }),
        model.requests.length,
      ],
      [
        { status: "failed", error: "A question is about one file. Ask about each in a call of its own." },
        {
          status: "done",
          output: "Answer from b.log, 1 line\nTwo.",
          source: { kind: "ignored-file", name: "b.log" },
        },
        { status: "done", output: '"c.txt" is empty.' },
        1,
      ],
    );
  });
});
