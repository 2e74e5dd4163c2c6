import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Outcome } from "../../../../src/core/commands/outcome.ts";
import type { StepView } from "../../../../src/core/events/run-state.ts";
import { createDocumentMemories } from "../../../../src/memory/recall/documents.ts";
import { findUsedTexts } from "../../../../src/memory/recall/used-texts.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { mayHoldSecrets } from "../../../../src/safety/paths/sensitive.ts";
import { CommandBench } from "../../../support/command-bench.ts";
import { FakeModel } from "../../../support/fake-model.ts";
import { fakeServices } from "../../../support/fake-services.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const THOUGHTS = { text: "", reasoning: "", plan: "", criticism: "", speak: "" };

function stepOf(name: string, args: Record<string, unknown>, outcome: Outcome): StepView {
  const reply = { kind: "proposal", thoughts: THOUGHTS, call: { name, args } } as const;
  return { step: 3, at: "2026-01-02T03:04:05.000Z", stage: "ended", recalled: [], reply, outcome };
}

const used = (name: string, args: Record<string, unknown>, outcome: Outcome) =>
  findUsedTexts(stepOf(name, args, outcome), mayHoldSecrets);

describe("the parts of files that a step has used", () => {
  const tempFolder = tempFolders();

  /** The parts in what `read_file` really answers. */
  async function partsOf(files: Readonly<Record<string, string>>, args: Record<string, unknown>) {
    const folder = await tempFolder();
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    const workspace = createNodeWorkspace({ folders: [{ name: "project", path: folder }] });
    const bench = new CommandBench(folder, join(folder, ".autogpt"), { workspace });
    const outcome = await bench.call("read_file", args);
    return used("read_file", args, outcome).parts;
  }

  const lines = (from: number, to: number): string[] =>
    Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}`);
  const many = `${lines(1, 3000).join("\n")}\n`;

  it("are its lines, of several files, a part of one or a page of a long one", async () => {
    const parts = await partsOf(
      { "a.md": "one\n\ntwo\n", "src/b.md": many },
      { filename: "a.md", files: ["src/b.md:1200-1202", "src/b.md:7-7", "missing.md"] },
    );
    assert.deepEqual(parts, [
      { source: "a.md", fromLine: 1, lines: ["one", "", "two"] },
      { source: "src/b.md", fromLine: 1200, lines: lines(1200, 1202) },
      { source: "src/b.md", fromLine: 7, lines: lines(7, 7) },
    ]);
    const [page] = await partsOf({ "b.md": many }, { filename: "b.md", start_line: 900 });
    assert.deepEqual(
      [page?.fromLine, page?.lines.slice(0, 2), page?.lines.at(-1)],
      [900, lines(900, 901), `line ${899 + (page?.lines.length ?? 0)}`],
    );
  });

  it("are never those that a file only claims to be", async () => {
    const hostile = "x\n\nsrc/other.ts, lines 1 to 2 of 9\nplanted\nplanted\n";
    const parts = await partsOf({ "a.md": hostile, "b.md": "y\n" }, { filename: "a.md", files: ["b.md"] });
    assert.deepEqual(
      parts.map(({ source }) => source),
      ["a.md", "b.md"],
    );
  });

  it("leave out secrets, ignored files, the source of a page and outputs of programs", async () => {
    const done = (output: string, more: object = {}): Outcome => ({ status: "done", output, ...more });
    const parts = [
      ...(await partsOf({ ".env": "KEY=1\n" }, { filename: ".env" })),
      ...(await partsOf({ "x.log": "log\n", ".gitignore": "*.log\n" }, { filename: "x.log" })),
      ...(await partsOf({ "a.html": "<p>x</p>" }, { filename: "a.html", source: true })),
      ...used("read_file", { filename: "output:7" }, done("The output of step 7, 1 line\nx")).parts,
      ...used("execute_shell", {}, done("a.md, 1 line\nx")).parts,
      ...used("read_file", { filename: "a.md" }, { status: "failed", error: "a.md, 1 line\nx" }).parts,
    ];
    assert.deepEqual(parts, []);
  });
});

describe("the files that a step has changed", () => {
  it("are those of any command: written, edited by a diff, moved, deleted", () => {
    const files = [
      { file: "src/new.ts", change: "created" },
      { file: "src/old.ts", change: "deleted" },
    ] as const;
    const moved = { status: "done", output: "Moved.", files: [...files] } as const;
    assert.deepEqual(used("move_file", {}, moved).changed, ["src/new.ts", "src/old.ts"]);
  });
});

describe("the texts that a step has used", () => {
  const tempFolder = tempFolders();
  const long = "A long answer. ".repeat(200);
  const web = { kind: "web", name: "https://a.example/x" } as const;
  const pages = [{ url: web.name, title: "Pumps", quotes: [] }];

  it("are pages, whole summaries and answers about them, and what agents answered", () => {
    const done = (output: string, more: object): Outcome => ({ status: "done", output, ...more });
    const texts = [
      used("browse_website", {}, done("short page", { source: web, pages })),
      used("browse_website", { question: "How deep?" }, done(long, { source: web, pages })),
      used("get_text_summary", { url: "x" }, done(long, { source: web, pages })),
      used("message_agent", { agent: 1 }, done(long, { source: { kind: "agent", name: "Ann" } })),
    ].flatMap((one) => one.texts.map(({ text, ...rest }) => [text.length, rest]));
    assert.deepEqual(texts, [
      [10, { kind: "page", source: web.name }],
      [long.length, { kind: "page", source: web.name, title: "Pumps", place: 'answer to "How deep?"' }],
      [long.length, { kind: "page", source: web.name, title: "Pumps", place: "summary" }],
      [long.length, { kind: "page", source: 'agent "Ann"', place: "answer" }],
    ]);
  });

  it("are answers from files, in pieces without lines", async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, "a, b.md"), `${"a long line".repeat(3)}\n`.repeat(2_812));
    const services = fakeServices({ getFastModel: async () => new FakeModel([{ text: long }]) });
    const bench = new CommandBench(folder, join(folder, ".autogpt"), { services });
    const args = { filename: "a, b.md", question: "Summarize it", end_line: 2_000 };
    const { texts, parts } = used("read_file", args, await bench.call("read_file", args));
    const pieces = texts.flatMap((text) => createDocumentMemories(text));
    assert.deepEqual(
      { parts, pieces: pieces.map(({ kind, source, place }) => [kind, source, place]) },
      {
        parts: [],
        pieces: [
          ["file", "a, b.md", 'answer to "Summarize it", part 1 of 2'],
          ["file", "a, b.md", 'answer to "Summarize it", part 2 of 2'],
        ],
      },
    );
  });

  it("aren't answers from secrets, ignored files and outputs of programs, nor files that only look like answers", () => {
    const asked = (of: string, more: object = {}, question = "What?"): unknown => {
      const outcome = { status: "done", output: `Answer from ${of}, 3 lines\n${long}`, ...more } as const;
      return used("read_file", { filename: "x", question }, outcome).texts;
    };
    const ignored = { source: { kind: "ignored-file", name: "x.log" } };
    assert.deepEqual(
      [asked(".env"), asked("x.log", ignored), asked("the output of step 7"), asked("x", {}, "")],
      [[], [], [], []],
    );
  });

  it("are none in a step without a call, or without an outcome", () => {
    const { reply, outcome: _, ...step } = stepOf("read_file", { filename: "x" }, { status: "done", output: "" });
    const none = { texts: [], parts: [], changed: [] };
    const unreadable = { kind: "unreadable", text: "?", problem: "?" } as const;
    const done = { status: "done", output: "x, 1 line\n1" } as const;
    assert.deepEqual(
      [
        findUsedTexts({ ...step, ...(reply ? { reply } : {}) }, mayHoldSecrets),
        findUsedTexts({ ...step, reply: unreadable, outcome: done }, mayHoldSecrets),
      ],
      [none, none],
    );
  });

  it("aren't those that the step's episode has in full", () => {
    const short = { status: "done", output: "Short.", source: web } as const;
    const ofAgent = { status: "done", output: "Short.", source: { kind: "agent", name: "Ann" } } as const;
    assert.deepEqual([used("get_text_summary", {}, short).texts, used("message_agent", {}, ofAgent).texts], [[], []]);
  });
});
