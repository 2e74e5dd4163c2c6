import assert from "node:assert/strict";
import type { Outcome } from "../../../../src/core/commands/outcome.ts";
import { addReadPages, listAnswerPages } from "../../../../src/core/events/read-pages.ts";
import type { StepView } from "../../../../src/core/events/run-state.ts";
import { NO_THOUGHTS, type Proposal } from "../../../../src/core/reply/reply.ts";
import { says } from "../../../support/fake-model.ts";
import { rehearse } from "../../../support/rehearsal.ts";

const URL = "https://example.com/sea";
const SEA = { url: URL, title: "Sea", quotes: ["It is blue."] };

const call = (name: string, args: object = {}): Proposal => ({
  kind: "proposal",
  thoughts: NO_THOUGHTS,
  call: { name, args: { ...args } },
});

const read = (output: string, pages?: Extract<Outcome, { status: "done" }>["pages"]): Outcome => ({
  status: "done",
  output,
  source: { kind: "web", name: URL },
  ...(pages ? { pages } : {}),
});

describe("the pages that a run read", () => {
  it("are listed once each, with all their quotes", () => {
    const first = addReadPages([], {
      reply: call("browse_website"),
      outcome: read("", [{ ...SEA, title: "" }]),
    });
    const again = addReadPages(first, {
      reply: call("browse_website"),
      outcome: read("", [{ ...SEA, quotes: ["It is blue.", "It is deep."] }]),
    });
    assert.deepEqual(again, [{ url: URL, title: "Sea", quotes: ["It is blue.", "It is deep."] }]);
  });

  const cases: [string, string, Outcome, number][] = [
    ["of older logs are known by their source", "browse_website", read("text"), 1],
    ["aren't those that a search found", "web_search", read("1. Sea"), 0],
    ["aren't those that only gave links", "get_hyperlinks", read("- Home"), 0],
    ["aren't those that couldn't be opened", "browse_website", { status: "failed", error: "404" }, 0],
  ];
  for (const [name, command, outcome, count] of cases)
    it(name, () => assert.equal(addReadPages([], { reply: call(command), outcome }).length, count));

  it("are at most 50 with 8 quotes each", () => {
    const quotes = Array.from({ length: 20 }, (_, at) => `Quote number ${at}`);
    const many = Array.from({ length: 60 }, (_, at) => ({ url: `${URL}/${at}`, title: "", quotes }));
    const pages = addReadPages([], { reply: call("browse_website"), outcome: read("", many) });
    assert.deepEqual([pages.length, pages[0]?.quotes.length], [50, 8]);
  });
});

describe("the passages that an answer quotes", () => {
  const step = (args: object, output: string): StepView => ({
    step: 1,
    at: "",
    stage: "ended",
    recalled: [],
    reply: call("browse_website", args),
    outcome: read(output, [{ url: URL, title: "Sea", quotes: [] }]),
  });
  const quotesIn = (answer: string, args: object, output: string): readonly string[] =>
    listAnswerPages(answer, { recent: [step(args, output)] }).flatMap(({ quotes }) => quotes);

  const cases: [string, readonly string[], string, object, string][] = [
    [
      "are listed if they stand on the page",
      ["water is very blue"],
      'It says "water is very blue".',
      {},
      "The **water** is\nvery blue.",
    ],
    ["aren't if they don't", [], 'It says "water is very green".', {}, "The water is very blue."],
    [
      "aren't if only a model's answer has them",
      [],
      'It says "water is very blue".',
      { question: "Color?" },
      "The water is very blue.",
    ],
    ["aren't single words", [], 'It is "blue".', {}, "The water is very blue."],
  ];
  for (const [name, expected, answer, args, output] of cases)
    it(name, () => assert.deepEqual(quotesIn(answer, args, output), expected));
});

describe("the end of a run without pages", () => {
  it("lists none", async () => {
    const { end } = await rehearse({ answers: [says("task_complete", { title: "Done." })] });
    assert.deepEqual(end, { reason: "finished", summary: "Done." });
  });
});
