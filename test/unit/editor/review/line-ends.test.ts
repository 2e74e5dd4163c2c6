import assert from "node:assert/strict";
import fc from "fast-check";
import { restoreLineEnds } from "../../../../src/editor/review/hunks.ts";
import { findEditorLineEnd, unifyLineEnds } from "../../../../src/editor/review/line-ends.ts";
import { aMixedText, aText } from "./texts.ts";

/** A text as it stands in an editor that has opened it. */
function opened(text: string): { readonly text: string; readonly lineEnd: "\n" | "\r\n" } {
  const lineEnd = findEditorLineEnd(text) ?? "\n";
  return { text: unifyLineEnds(text, lineEnd), lineEnd };
}

describe("line ends of a proposal that was edited", () => {
  it("are as proposed when nothing was edited, however mixed they are", () => {
    fc.assert(
      fc.property(aMixedText, aMixedText, (proposed, before) => {
        assert.equal(restoreLineEnds(opened(proposed), proposed, before), proposed);
      }),
    );
  });

  it("are as before on lines that were brought back", () => {
    const before = "a\r\nold\r\nb\n";
    const proposed = "a\nnew\nb\n";
    assert.equal(restoreLineEnds({ text: "a\nold\nb\n", lineEnd: "\n" }, proposed, before), "a\nold\r\nb\n");
  });

  it("are those of the proposal on lines that are new", () => {
    assert.equal(restoreLineEnds({ text: "a\r\nadded\r\nb", lineEnd: "\r\n" }, "a\r\nb", ""), "a\r\nadded\r\nb");
  });

  it("are the user's when another line end was chosen in the editor", () => {
    assert.equal(restoreLineEnds({ text: "a\r\nb\r\n", lineEnd: "\r\n" }, "a\nb\n", "a\n"), "a\r\nb\r\n");
  });

  it("are those of the file when the proposal has one line only", () => {
    assert.equal(restoreLineEnds({ text: "a\nb", lineEnd: "\n" }, "a", "x\r\ny\r\n"), "a\r\nb");
  });

  it("never change the lines themselves", () => {
    fc.assert(
      fc.property(aText("\n"), aMixedText, aMixedText, (edited, proposed, before) => {
        const { lineEnd } = opened(proposed);
        const standing = { text: unifyLineEnds(edited, lineEnd), lineEnd };
        assert.equal(unifyLineEnds(restoreLineEnds(standing, proposed, before), "\n"), edited);
      }),
    );
  });
});
