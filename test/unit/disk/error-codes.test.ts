import assert from "node:assert/strict";
import { findErrorCode, hasCode } from "../../../src/disk/error-codes.ts";

describe("the code of an error", () => {
  const createError = (code: unknown) => Object.assign(new Error("It failed."), { code });

  it("is that of a system error, and of nothing else", () =>
    assert.deepEqual(
      [createError("ENOENT"), createError(2), new Error("ENOENT"), { code: "ENOENT" }, undefined].map(findErrorCode),
      ["ENOENT", undefined, undefined, undefined, undefined],
    ));

  it("is compared with several", () =>
    assert.deepEqual(
      [
        hasCode(createError("ENOENT"), "EEXIST", "ENOENT"),
        hasCode(createError("ENOENT"), "EEXIST"),
        hasCode(new Error("It failed."), "EEXIST"),
      ],
      [true, false, false],
    ));
});
