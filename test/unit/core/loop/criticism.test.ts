import assert from "node:assert/strict";
import { createCriticismMessages } from "../../../../src/core/loop/think.ts";
import { NO_THOUGHTS } from "../../../../src/core/reply/reply.ts";

describe("criticism", () => {
  it("shows the reviewer the task, the thoughts that were said, and the command", () => {
    const [, asked] = createCriticismMessages({ name: "Ann", role: "a roofer", goals: ["dry"] }, "Mend it.", {
      kind: "proposal",
      thoughts: { ...NO_THOUGHTS, text: "It leaks.", speak: "Hello" },
      call: { name: "look", args: { at: "roof" } },
    });
    assert.equal(
      asked?.content,
      'The agent is Ann, a roofer.\nIts task: Mend it.\nIts goals:\n- dry\n\nIts thoughts:\ntext: It leaks.\n\nThe command it wants to run: look {"at":"roof"}',
    );
  });
});
