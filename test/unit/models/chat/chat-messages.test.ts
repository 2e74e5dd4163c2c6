import assert from "node:assert/strict";
import { chatMessages } from "../../../../src/models/chat/chat-request.ts";

const HALF = "\u{1f600}".slice(0, 1);

describe("messages to a server", () => {
  it("hold no half of a character", () => {
    const calls = [{ id: "c", name: "look", arguments: `{"at":"${HALF}"}` }];
    assert.deepEqual(
      chatMessages([
        { role: "user", content: `a${HALF}` },
        { role: "assistant", content: HALF, calls },
        { role: "tool", callId: "c", content: `${HALF}b` },
      ]).map(({ content }) => content),
      ["a\ufffd", "\ufffd", "\ufffdb"],
    );
  });
});
