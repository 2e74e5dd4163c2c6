import assert from "node:assert/strict";
import type { Outcome } from "../../../../src/core/commands/outcome.ts";
import { describeMemoryText } from "../../../../src/core/events/memory-sentence.ts";
import type { StepView } from "../../../../src/core/events/run-state.ts";
import { NO_THOUGHTS } from "../../../../src/core/reply/reply.ts";
import { createEpisodeMemory } from "../../../../src/memory/recall/episodes.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";

/** The sentence of a remembered step. */
function sentence(
  name: string,
  args: Readonly<Record<string, unknown>>,
  outcome: Outcome,
  said: string[] = [],
): string {
  const thoughts = { ...NO_THOUGHTS, text: "A note.\nIt has two lines." };
  const reply = { kind: "proposal", thoughts, call: { name, args } } as const;
  const step = { step: 7, at: "2026-11-24T10:00:00Z", reply, outcome } as unknown as StepView;
  const memory = createEpisodeMemory(step, { run: "r", task: "Hidden quick", said });
  return writeInEnglish(describeMemoryText(memory?.text ?? ""));
}

const done = (output: string): Outcome => ({ status: "done", output });

describe("the sentence of a memory", () => {
  it("says what a step did, and the essence of that", () => {
    const contents = "\n## Discounts\n\nTen pieces or more cost 10 % less.\n";
    const sentences = [
      sentence("append_to_file", { filename: "README.md", contents }, done("Added 71 characters.")),
      sentence("execute_shell", { command_line: "npm test" }, done("Exit code 0 after 2 s\n4 tests passed"), ["Fine."]),
      sentence(
        "edit_file",
        { filename: "a.js", old: "1", new: "2" },
        { status: "failed", error: "The text wasn't found." },
      ),
      sentence("delete_file", { filename: "a.js" }, { status: "refused", feedback: "The user says: Keep it." }),
      sentence("task_complete", { reason: "All tests pass." }, { status: "finished", summary: "All tests pass." }),
      sentence("dice__roll", { sides: 6 }, done("You rolled 4.")),
    ];
    assert.deepEqual(sentences, [
      "Appended to README.md: Ten pieces or more cost 10 % less.",
      "npm test: 4 tests passed",
      "Edit a.js failed: The text wasn't found.",
      "Delete a.js was rejected: The user says: Keep it.",
      "Finished: All tests pass.",
      "dice: roll: You rolled 4.",
    ]);
  });

  it("is the same for a step whose arguments were shortened", () => {
    const contents = `${"first line\n".repeat(30)}"quoted" \\ ${"last line\n".repeat(40)}`;
    const found = sentence("write_to_file", { filename: "docs/long.md", contents }, done("Wrote 70 lines."));
    assert.match(found, /^Wrote docs\/long\.md: first line first line /);
  });

  it("of a note or a page is its text on one line", () => {
    const texts = ["The port is 8765.", "# Discounts\n\n- Ten pieces\n- or more\n", "\n###\n"];
    assert.deepEqual(
      texts.map((text) => writeInEnglish(describeMemoryText(text))),
      ["The port is 8765.", "- Ten pieces - or more", "###"],
    );
  });
});
