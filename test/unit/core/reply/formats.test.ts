import assert from "node:assert/strict";
import { ENDLESS, ModelError, type ReplyFormat } from "../../../../src/core/ports/model.ts";
import { renderEntryMessages } from "../../../../src/core/prompt/entries.ts";
import { FormatChoice, listUsualFormats } from "../../../../src/core/reply/formats.ts";
import { NO_THOUGHTS, type Reply } from "../../../../src/core/reply/reply.ts";
import { write } from "../../../../src/texts/language.ts";

const ALL: readonly ReplyFormat[] = ["tools", "jsonSchema", "text"];
const SAID = "stop";
const unreadable: Reply = { kind: "unreadable", problem: "It isn't a call." };
const calling = (name: string): Reply => ({
  kind: "proposal",
  thoughts: NO_THOUGHTS,
  call: { name, args: {} },
});

describe("the formats for a model", () => {
  const cases: Readonly<Record<string, readonly [object, ...ReplyFormat[]]>> = {
    "begin with whole files for a small one": [{ billions: 1.5 }, "files", ...ALL],
    "end with whole files for a larger one, and for one of which nothing is known": [{}, ...ALL, "files"],
    "have tools late for one of the user's own machine": [
      { billions: 8, traits: { isLocal: true } },
      ...(["jsonSchema", "text", "tools", "files"] as const),
    ],
    "begin with the one that it was learned to work in": [
      { billions: 30, learnedFormat: "files" },
      ...(["files", ...ALL] as const),
    ],
    "leave out one that it no longer has": [{ learnedFormat: "react" }, ...ALL, "files"],
  };
  for (const [title, [model, ...formats]] of Object.entries(cases))
    it(title, () => assert.deepEqual(listUsualFormats({ formats: ALL, contextWindow: 128_000, ...model }), formats));
});

describe("the choice of a format", () => {
  const notices: string[] = [];
  const heard = {
    notice: (text: string | Parameters<typeof write>[0]) => notices.push(typeof text === "string" ? text : write(text)),
  };
  let learned: ReplyFormat[];
  const choice = (...formats: ReplyFormat[]) => new FormatChoice(formats, (format) => learned.push(format));

  beforeEach(() => {
    learned = [];
    notices.length = 0;
  });

  it("switches to another form after an endless reply, says so, and keeps what works", () => {
    const formats = choice("tools", "files");
    formats.handleReply(unreadable, ENDLESS, heard);
    assert.deepEqual([formats.current, learned, notices.length], ["files", [], 1]);
    formats.handleReply(calling("write_to_file"), SAID, heard);
    formats.handleReply(unreadable, ENDLESS, heard);
    assert.deepEqual([formats.current, learned], ["files", ["files"]]);
  });

  it("switches after two replies that can't be read, but not where they were only cut off", () => {
    const formats = choice("jsonSchema", "text");
    formats.handleReply({ ...unreadable, cutOff: true }, "length", heard);
    formats.handleReply({ ...unreadable, cutOff: true }, "length", heard);
    assert.equal(formats.current, "jsonSchema");
    formats.handleReply(unreadable, SAID, heard);
    formats.handleReply(unreadable, SAID, heard);
    assert.deepEqual([formats.current, notices.length], ["text", 1]);
  });

  it("leaves whole files after three tries, or six looks", () => {
    const tried = choice("files", "text");
    for (let count = 0; count < 3; count++) tried.handleReply(calling("delete_file"), SAID, heard);
    const looked = choice("files", "text");
    for (let count = 0; count < 5; count++) looked.handleReply(calling("read_file"), SAID, heard);
    assert.deepEqual([tried.current, looked.current, notices], ["text", "files", []]);
    looked.handleReply(calling("execute_shell"), SAID, heard);
    tried.handleAnswer(heard);
    looked.handleAnswer(heard);
    assert.deepEqual([tried.current, looked.current, notices.length], ["text", "text", 2]);
  });

  it("keeps nothing for a small model, which does worse in any other form", () => {
    const formats = choice("files", "text");
    formats.handleReply(unreadable, ENDLESS, heard);
    formats.handleReply(calling("read_file"), SAID, heard);
    assert.deepEqual([formats.current, learned], ["text", []]);
  });

  it("has no use for whole files where a server refuses text", () => {
    const refused = new ModelError("format", "It takes no such format.");
    const formats = choice("text", "files");
    assert.throws(() => formats.handleTrouble(refused, "text"));
    assert.equal(formats.current, "text");
  });

  it("keeps whole files first in another window", () => {
    const formats = choice("files", ...ALL);
    formats.fit(8_000);
    assert.deepEqual([formats.current, formats.doWordsEnd], ["files", true]);
  });
});

describe("the outcome of a reply in whole files", () => {
  const episode = {
    ...{ kind: "episode", step: 2, format: "files", thoughts: "short", text: "", calls: [] },
    reply: {
      ...calling("write_to_file"),
      next: [
        { name: "delete_file", args: { filename: "b.txt" } },
        { name: "task_complete", args: { reason: "Done." } },
      ],
      ignored: ["write_to_file"],
    },
  } as const;
  const outcomeIn = (outcome: object, reply: object = episode.reply) =>
    renderEntryMessages({ ...episode, reply, outcome } as never, "files", 10_000).at(-1)?.content;

  it("names what was left out, and that there was too much", () =>
    assert.equal(
      outcomeIn({ status: "failed", error: "The disk is full. Use list_files." }),
      "This failed: The disk is full.\n(Not done, because a call before it in the same reply didn't succeed: Delete: b.txt.)\n(The rest of your reply was not done: it has too many parts.)",
    ));

  it("is only itself where all was done", () => {
    assert.equal(outcomeIn({ status: "finished", summary: "Done." }, calling("task_complete")), "Done.");
    assert.equal(
      outcomeIn({ status: "refused", feedback: "Keep it." }, calling("delete_file")),
      "This was not done. Keep it.",
    );
  });
});
