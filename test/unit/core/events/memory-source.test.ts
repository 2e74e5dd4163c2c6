import assert from "node:assert/strict";
import { describeMemorySource, describeRecalledSource } from "../../../../src/core/events/memory-source.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { setLanguage, write } from "../../../../src/texts/language.ts";
import type { Language } from "../../../../src/texts/writer.ts";

const STORED = [
  "src/till.ts, lines 40 to 82",
  'step 3 of "Sort the words, by length" (from web https://example.com/)',
  ".autogpt/notes/deploy.md, by Ada (ada)",
  "src/till.ts, lines 3 to 3",
  'https://example.com/, answer to "Who, by law, may?", part 1 of 2, by Ada',
  "https://example.com/, summary",
  'a note of the agent on "Fix the till"',
  "notes of lines 1 to 2.md",
];

describe("the source of a memory", () => {
  afterEach(() => setLanguage(undefined));

  it("reads in English nearly as it's stored", () => {
    assert.deepEqual(STORED.map(describeMemorySource).map(writeInEnglish), [
      "src/till.ts, lines 40 to 82",
      'step 3 of "Sort the words, by length" (from https://example.com/)',
      ".autogpt/notes/deploy.md, by Ada (ada)",
      "src/till.ts, line 3",
      'https://example.com/, answer to "Who, by law, may?", part 1 of 2, by Ada',
      "https://example.com/, summary",
      'note by the agent on "Fix the till"',
      "notes of lines 1 to 2.md",
    ]);
  });

  it("is written in the reader's language", () => {
    const texts = {
      "runs.memory.source.lines": "Zeilen {from} bis {to}",
      "runs.memory.source.author": "von {author}",
    };
    const german: Language = { tag: "de", texts };
    setLanguage(german);
    const shown = write(describeMemorySource("src/till.ts, lines 1 to 6, by Ada"));
    assert.equal(shown, "src/till.ts, Zeilen 1 bis 6, von Ada");
  });

  it("that was recalled is shown without the run's ID or the kind, also in a summary of several", () => {
    const recalled = [
      'run 20261124_184212_fix-the-till_ab12: step 2 of "Fix the till"',
      "note: src/till.ts, lines 1 to 2",
      "2 memories, summarized: [1] run 20261124_184212_fix-the-till_ab12: till.ts, lines 1 to 2; [2] note: deploy.md",
    ];
    assert.deepEqual(recalled.map(describeRecalledSource).map(writeInEnglish), [
      'step 2 of "Fix the till"',
      "src/till.ts, lines 1 to 2",
      "[1] till.ts, lines 1 to 2; [2] deploy.md",
    ]);
  });
});
