import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isPrepared } from "../../../../src/core/commands/command.ts";
import { ModelError } from "../../../../src/core/ports/model.ts";
import { createNodeDocuments } from "../../../../src/node/documents/documents.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { CommandBench } from "../../../support/command-bench.ts";
import { type Answer, FakeModel } from "../../../support/fake-model.ts";
import { fakeServices } from "../../../support/fake-services.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const WORKER = new URL("../../../../src/node/documents/document-worker.ts", import.meta.url);

describe("read_file with a question", () => {
  const tempFolder = tempFolders();

  async function benched(files: Readonly<Record<string, string | Uint8Array>>, answers: readonly Answer[]) {
    const folder = await tempFolder();
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    const workspace = createNodeWorkspace({ folders: [{ name: "project", path: folder }] });
    const documents = createNodeDocuments({ files: workspace, workspace, worker: WORKER });
    const model = new FakeModel(answers);
    const services = fakeServices({ getFastModel: async () => model });
    const bench = new CommandBench(folder, join(folder, ".autogpt"), { workspace, documents, services });
    return { bench, model, folder };
  }

  /** Answers for each part of a long text, and one of all parts in the end. */
  const inParts =
    (text: string, ...quotes: readonly string[]): Answer =>
    async ({ messages }) =>
      messages[1]?.content.includes("notes on several parts")
        ? { text }
        : { text: JSON.stringify({ answer: text, quotes }) };

  /** A text that isn't shown at once, so that a question about it is worth a call of the fast model. */
  const FILLER = Array.from({ length: 1_000 }, () => "word ".repeat(10)).join("\n");

  it("answers it from the text of a document, with quotes that are really there, and counts the cost", async () => {
    const text = `<p>The pump is blue</p>${FILLER.replace(/.+/g, "<p>$&</p>")}`;
    const { bench, folder } = await benched({ "pump.html": text }, [
      inParts("It's blue.", "pump is blue", "pump is red"),
    ]);
    const prepared = await bench.prepare("read_file", { filename: "pump.html", question: "Which color?" });
    assert.ok(isPrepared(prepared));
    const { effect, preview, touches } = prepared;
    const outcome = await bench.run(prepared);
    const output = outcome.status === "done" ? outcome.output : "";
    assert.match(output, /^Answer from the text of pump\.html, [\d,]+ lines\nIt's blue\./);
    assert.deepEqual([output.includes("pump is red"), bench.recorded.length > 1], [false, true]);
    assert.deepEqual(
      { effect, preview, touches, recorded: bench.recorded },
      {
        effect: "read",
        preview: {
          kind: "details",
          text: 'Have the fast model answer from the text of "pump.html": Which color?',
        },
        touches: [{ path: join(folder, "pump.html"), how: "read" }],
        recorded: Array.from({ length: bench.recorded.length }, () => ({
          ...{ type: "spent", on: "reading pump.html", model: "fake", costUsd: 0.001 },
        })),
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
      start_line: 8_000,
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
        some: { status: "done", output: "Answer from a.txt, lines 8,000 to 9,000 of 9,000\nAll words." },
        later: 4,
      },
    );
  });

  it("gives the file where the model can't be asked", async () => {
    const { bench } = await benched({ "a.txt": long }, [new ModelError("busy", "The server is overloaded.")]);
    const outcome = await bench.call("read_file", { filename: "a.txt", question: "What?" });
    assert.equal(
      outcome.status === "done" && outcome.output.slice(0, 145),
      "[The question could not be put to the model that reads files: The server is overloaded. This is the file itself.]\n\na.txt, lines 1 to 859 of 9,000",
    );
  });

  it("asks about one file, marks what an ignored one says, and gives a short one as it is", async () => {
    const files = { "a.txt": "one", "b.log": FILLER, ".gitignore": "*.log", "c.txt": "timeout = 30" };
    const { bench, model } = await benched(files, [inParts("Two.")]);
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
          output: "Answer from b.log, 1,000 lines\nTwo.",
          source: { kind: "ignored-file", name: "b.log" },
        },
        { status: "done", output: "c.txt, 1 line\ntimeout = 30" },
        4,
      ],
    );
  });
});
