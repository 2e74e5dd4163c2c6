import assert from "node:assert/strict";
import type { ReplyFormat } from "../../../../src/core/ports/model.ts";
import { formatsFor } from "../../../../src/core/reply/formats.ts";

const FORMATS: readonly ReplyFormat[] = ["text", "tools", "jsonSchema"];

describe("the reply formats of a model", () => {
  for (const [contextWindow, formats] of [
    [0, ["tools", "jsonSchema", "text"]],
    [128_000, ["tools", "jsonSchema", "text"]],
    [8_192, ["jsonSchema", "text", "tools"]],
  ] as const) {
    it(`are tried in the order ${formats.join(", ")} with a window of ${contextWindow}`, () =>
      assert.deepEqual(formatsFor({ formats: FORMATS, contextWindow }), formats));
  }

  it("are only those that it may accept", () => {
    assert.deepEqual(formatsFor({ formats: ["tools", "text"], contextWindow: 8_192 }), ["text", "tools"]);
  });
});
