import assert from "node:assert/strict";
import { MessageBox } from "../../../../src/editor/review/message-box.ts";

describe("a draft in a box that the user may edit", () => {
  it("grows piece by piece, and is taken back to what was there before", () => {
    const box = { value: "Template" };
    const draft = new MessageBox(box);
    const seen = ["fix", "fix: a", "fix: a sum"].map((text) => [draft.write(text), box.value]);
    draft.restore();
    assert.deepEqual(
      { seen, after: box.value },
      {
        seen: [
          [true, "fix"],
          [true, "fix: a"],
          [true, "fix: a sum"],
        ],
        after: "Template",
      },
    );
  });

  it("is never written over what the user types, at its end or anywhere else", () => {
    const box = { value: "" };
    const draft = new MessageBox(box);
    draft.write("fix: a");
    box.value = "fix: a roof";
    const written = draft.write("fix: a sum");
    draft.restore();
    assert.deepEqual(
      { written, isUsers: draft.isUsers, box: box.value },
      { written: false, isUsers: true, box: "fix: a roof" },
    );
  });

  it("isn't begun if the user types before its first word", () => {
    const box = { value: "" };
    const draft = new MessageBox(box);
    box.value = "my own";
    assert.deepEqual([draft.write("fix: a sum"), box.value], [false, "my own"]);
  });

  it("continues where the box still reports an earlier piece", () => {
    const box = { value: "" };
    const draft = new MessageBox(box);
    draft.write("fix");
    draft.write("fix: a");
    box.value = "fix";
    assert.deepEqual([draft.write("fix: a sum"), box.value], [true, "fix: a sum"]);
  });
});
