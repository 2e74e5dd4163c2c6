import assert from "node:assert/strict";
import { countMessageTokens, estimateTokens, requestTokens } from "../../../../src/core/context/tokens.ts";

describe("tokens", () => {
  it("estimates prose by its length, and wide scripts as dearer", () => {
    assert.deepEqual(
      [estimateTokens(""), estimateTokens("x".repeat(360)), estimateTokens("字".repeat(13))],
      [0, 100, 10],
    );
  });

  it("counts content and calls of a message, and a little around each", () => {
    const call = { id: "1", name: "aaa", arguments: "bbbb" };
    const message = { role: "assistant", content: "cc", calls: [call] } as const;
    assert.equal(
      countMessageTokens(message, (text) => text.length),
      5 + 2 + 5 + 3 + 4,
    );
  });

  it("counts a message once for each counter", () => {
    let counted = 0;
    const count = (text: string): number => {
      counted++;
      return text.length;
    };
    const message = { role: "user", content: "hi" } as const;
    const sums = [countMessageTokens(message, count), countMessageTokens(message, count), countMessageTokens(message)];
    assert.deepEqual({ sums, counted }, { sums: [7, 7, 6], counted: 1 });
  });

  it("counts all that a request sends", () => {
    const count = (text: string): number => text.length;
    const tools = [{ name: "a", description: "b", parameters: {} }];
    const schema = { name: "reply", schema: {} };
    assert.deepEqual(
      [
        requestTokens({ messages: [{ role: "user", content: "hi" }] }, count),
        requestTokens({ messages: [], tools }, count),
        requestTokens({ messages: [], schema }, count),
      ],
      [7, 12 + 7 + "a:b".length + 3, 0],
    );
  });
});
