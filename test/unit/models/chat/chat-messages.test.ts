import assert from "node:assert/strict";
import { COMMON_DIALECT } from "../../../../src/models/chat/dialect.ts";
import { convertChatMessages } from "../../../../src/models/wire/chat-completions.ts";

const HALF = "\u{1f600}".slice(0, 1);

describe("messages to a server", () => {
  it("hold no half of a character", () => {
    const calls = [{ id: "c", name: "look", arguments: `{"at":"${HALF}"}` }];
    assert.deepEqual(
      convertChatMessages([
        { role: "user", content: `a${HALF}` },
        { role: "assistant", content: HALF, calls },
        { role: "tool", callId: "c", content: `${HALF}b` },
      ]).map(({ content }) => content),
      ["a\ufffd", "\ufffd", "\ufffdb"],
    );
  });

  it("hold names of calls that servers accept, whatever the model called", () => {
    const names = ["read_file", `a${HALF}b`, " größe\n", ""];
    const calls = names.map((name, at) => ({ id: `c${at}`, name, arguments: "{}" }));
    const [message] = convertChatMessages([{ role: "assistant", content: "", calls }]);
    assert.deepEqual(
      message?.role === "assistant" &&
        message.tool_calls?.map((call) => call.type === "function" && call.function.name),
      ["read_file", "a_b", "gr__e", "unnamed"],
    );
  });

  it("keep a long id where the server seals its calls, as a gateway hides the seal there", () => {
    const id = `call_1__thought__${"s".repeat(100)}`;
    const sent = (signatures: "none" | "kept") => {
      const [message] = convertChatMessages([{ role: "tool", callId: id, content: "" }], {
        ...COMMON_DIALECT,
        signatures,
      });
      return message?.role === "tool" && message.tool_call_id;
    };
    assert.deepEqual([sent("kept") === id, String(sent("none")).length], [true, 9]);
  });
});
