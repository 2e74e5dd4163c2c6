import assert from "node:assert/strict";
import { canApprove, cardShown, grantCount, readArguments } from "../../../src/webview/waiting-card.ts";
import { SHELL_CARD } from "../../panel/support/scenes.ts";

const shown = cardShown(SHELL_CARD, undefined);

describe("the waiting card", () => {
  it("can be approved when it is whole, has been on show for a moment and nothing was decided", () => {
    const cards = [
      shown,
      { ...shown, armed: true },
      { ...shown, armed: true, sent: true },
      { ...shown, armed: true, complete: false },
      { ...shown, armed: true, card: { ...SHELL_CARD, unsaved: true } },
    ];
    assert.deepEqual(cards.map(canApprove), [false, true, false, false, false]);
  });

  it("takes edited arguments that are one object, and says what is wrong with others", () => {
    assert.deepEqual(['{"a": 1}', "[1]", "null", "7"].map(readArguments), [
      { kind: "arguments", args: { a: 1 } },
      ...Array.from({ length: 3 }, () => ({
        kind: "wrong",
        problem: "The arguments must be one JSON object, in braces.",
      })),
    ]);
  });

  it("says where the JSON breaks off", () => {
    const read = readArguments('{"a": ');
    assert.match(
      read.kind === "wrong" ? read.problem : "",
      /^This is not JSON yet: .+\. Mend it, then run it\.$/,
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
