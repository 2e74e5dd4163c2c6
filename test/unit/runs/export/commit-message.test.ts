import assert from "node:assert/strict";
import { composeCommitMessage } from "../../../../src/runs/export/commit-message.ts";

describe("the message of a commit", () => {
  it("has the task for its subject and the summary, wrapped, for its body", () => {
    const summary = `Mended it.\n${"word ".repeat(30).trim()}`;
    const { subject, body } = composeCommitMessage({
      task: "find out why\nthe tests fail.",
      end: { reason: "finished", summary },
    });
    assert.deepEqual(
      {
        subject,
        longest: Math.max(...body.split("\n").map((line) => line.length)),
        words: body.split(/\s+/).length,
      },
      { subject: "Find out why the tests fail", longest: 74, words: 32 },
    );
  });

  it("has a subject that is cut at the end of a word, and no body when the run did not finish", () => {
    assert.deepEqual(
      composeCommitMessage({ task: `${"mend all the things ".repeat(9)}`, end: { reason: "stopped" } }),
      {
        subject: "Mend all the things mend all the things mend all the things mend all…",
        body: "",
      },
    );
  });
});
