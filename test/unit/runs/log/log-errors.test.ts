import assert from "node:assert/strict";
import { findErrorCode } from "../../../../src/disk/error-codes.ts";
import { explainLogProblem } from "../../../../src/runs/log/log-errors.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";

describe("trouble with a log", () => {
  const beginnings = [
    ["ENOSPC", "The disk is full"],
    ["EDQUOT", "The disk is full"],
    ["EACCES", "You have no permission to write the run's log /a"],
    ["EPERM", "You have no permission to write the run's log /a"],
    ["EROFS", "The run's log /a is on a read-only disk"],
    ["ELOOP", "The run's log /a is a symbolic link"],
    ["EMFILE", "Too many files are open"],
    ["EIO", "The run's log /a can't be written (oops)"],
  ] as const;
  for (const [code, beginning] of beginnings) {
    it(`of the kind ${code} is reported in a sentence that says what to do`, () => {
      const sentence = writeInEnglish(explainLogProblem(Object.assign(new Error("oops"), { code }), "/a"));
      assert.deepEqual(
        [sentence.startsWith(beginning), /(then start again|to continue the run)[.:]/.test(sentence)],
        [true, true],
      );
    });
  }

  it("may be something that is no error", () => {
    assert.deepEqual(
      [
        writeInEnglish(explainLogProblem("odd", "/a")).includes("(odd)"),
        findErrorCode("odd"),
        findErrorCode(new Error("x")),
      ],
      [true, undefined, undefined],
    );
  });
});
