import assert from "node:assert/strict";
import { localTime } from "../../../../src/core/prompt/prompt.ts";

describe("the time in a prompt", () => {
  it("is a full date and the time to the minute", () => {
    assert.match(localTime(new Date(2026, 0, 2, 3, 4, 5)), /^Friday,? 2 January 2026 at 03:04$/);
  });
});
