import assert from "node:assert/strict";
import {
  canApprove,
  cardShown,
  grantCount,
  readEditedArguments,
  withEndInView,
} from "../../../../src/webview/approval/waiting-card.ts";
import { SHELL_CARD } from "../../../panel/support/scenes.ts";

const shown = cardShown(SHELL_CARD, undefined);

describe("the waiting card", () => {
  it("can be approved when it is complete, was seen, has been visible for a moment and is undecided", () => {
    const ready = { ...shown, armed: true, seen: true };
    const cards = [
      ready,
      shown,
      { ...ready, seen: false },
      { ...ready, armed: false },
      { ...ready, sent: true },
      { ...ready, complete: false },
    ];
    assert.deepEqual(cards.map(canApprove), [true, false, false, false, false, false]);
  });

  it("names the files that aren't saved now, and stays as it is otherwise", () => {
    const ready = { ...shown, armed: true, seen: true, unfolded: true };
    const named = cardShown({ ...SHELL_CARD, text: "other", unsavedFiles: ["a.ts"] }, ready);
    const saved = cardShown(SHELL_CARD, named);
    assert.deepEqual(
      { named, saved },
      { named: { ...ready, card: { ...SHELL_CARD, unsavedFiles: ["a.ts"] } }, saved: ready },
    );
  });

  it("was seen once its end is in view, unless something of it is folded, still to come, or only in the diff", () => {
    const long = { ...shown, text: "a line\n".repeat(15) };
    const cards = [
      shown,
      long,
      { ...long, unfolded: true },
      { ...shown, complete: false },
      cardShown({ ...SHELL_CARD, preview: "change" }, undefined),
    ];
    assert.deepEqual(
      cards.map((card) => withEndInView(card).seen),
      [true, false, true, false, false],
    );
  });

  it("stays seen while it is shown again, and a new one has to be seen again", () => {
    const seen = { ...shown, seen: true };
    const again = cardShown({ ...SHELL_CARD }, seen);
    const other = cardShown({ ...SHELL_CARD, hash: "another" }, seen);
    const elsewhere = cardShown({ ...SHELL_CARD, seen: true }, shown);
    assert.deepEqual(
      { again: again.seen, other: other.seen, elsewhere: elsewhere.seen },
      { again: true, other: false, elsewhere: true },
    );
  });

  it("takes edited arguments that are one object, and says what is wrong with others", () => {
    assert.deepEqual(['{"a": 1}', "[1]", "null", "7"].map(readEditedArguments), [
      { kind: "arguments", args: { a: 1 } },
      ...Array.from({ length: 3 }, () => ({
        kind: "wrong",
        problem: "The arguments must be one JSON object, in braces.",
      })),
    ]);
  });

  it("says where the JSON breaks off", () => {
    const read = readEditedArguments('{"a": ');
    assert.match(
      read.kind === "wrong" ? read.problem : "",
      /^This isn't valid JSON: .+\. Fix it, then approve\.$/,
    );
  });

  it("grants from two to ninety-nine commands", () => {
    assert.deepEqual(["2", "99", "1", "100", "2.5", ""].map(grantCount), [
      2,
      99,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
