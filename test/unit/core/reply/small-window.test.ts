import assert from "node:assert/strict";
import type { ReplyFormat } from "../../../../src/core/ports/model.ts";
import { chooseDefaultThoughts, listPossibleFormats } from "../../../../src/core/reply/formats.ts";

const FORMATS: readonly ReplyFormat[] = ["text", "tools", "jsonSchema"];

describe("the reply formats of a model", () => {
  for (const [contextWindow, formats] of [
    [0, ["tools", "jsonSchema", "text"]],
    [128_000, ["tools", "jsonSchema", "text"]],
    [8_192, ["jsonSchema", "text", "tools"]],
  ] as const) {
    it(`are tried in the order ${formats.join(", ")} with a window of ${contextWindow}`, () =>
      assert.deepEqual(listPossibleFormats({ formats: FORMATS, contextWindow }), formats));
  }

  it("are only those that it may accept", () => {
    assert.deepEqual(listPossibleFormats({ formats: ["tools", "text"], contextWindow: 8_192 }), ["text", "tools"]);
  });
});

describe("how a model thinks aloud unless a setting says otherwise", () => {
  for (const { contextWindow, reasons, style } of [
    { contextWindow: 128_000, reasons: false, style: "full" },
    { contextWindow: 128_000, reasons: true, style: "short" },
    { contextWindow: 8_193, reasons: false, style: "full" },
    { contextWindow: 8_192, reasons: false, style: "short" },
    { contextWindow: 0, reasons: false, style: "full" },
  ] as const)
    it(`is ${style} with a window of ${contextWindow}${reasons ? " and its own reasoning" : ""}`, () =>
      assert.equal(chooseDefaultThoughts({ contextWindow, traits: { reasons, edits: "replace" } }), style));
});
