import assert from "node:assert/strict";
import { displayText, writeInEnglish } from "../../../../src/texts/display-text.ts";
import {
  canApprove,
  createEditingForm,
  createWaitingCard,
  grantCount,
  markCardSeen,
  readEditedArguments,
} from "../../../../src/webview/approval/waiting-card.ts";
import { SHELL_CARD } from "../../../panel/support/scenes.ts";

const shown = createWaitingCard(SHELL_CARD, undefined);

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
    const named = createWaitingCard({ ...SHELL_CARD, text: "other", unsavedFiles: ["a.ts"] }, ready);
    const saved = createWaitingCard(SHELL_CARD, named);
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
      createWaitingCard({ ...SHELL_CARD, preview: "change" }, undefined),
    ];
    assert.deepEqual(
      cards.map((card) => markCardSeen(card).seen),
      [true, false, true, false, false],
    );
  });

  it("stays seen while it is shown again, and a new one has to be seen again", () => {
    const seen = { ...shown, seen: true };
    const again = createWaitingCard({ ...SHELL_CARD }, seen);
    const other = createWaitingCard({ ...SHELL_CARD, hash: "another" }, seen);
    const elsewhere = createWaitingCard({ ...SHELL_CARD, seen: true }, shown);
    assert.deepEqual(
      { again: again.seen, other: other.seen, elsewhere: elsewhere.seen },
      { again: true, other: false, elsewhere: true },
    );
  });

  it("takes edited arguments that are one object, and says what is wrong with others", () => {
    const read = (text: string) => readEditedArguments({ text }, SHELL_CARD);
    assert.deepEqual(['{"a": 1}', "[1]", "null", "7"].map(read), [
      { kind: "arguments", args: { a: 1 } },
      ...Array.from({ length: 3 }, () => ({
        kind: "wrong",
        problem: displayText("approval.argumentsObject"),
      })),
    ]);
  });

  it("says where the JSON breaks off", () => {
    const read = readEditedArguments({ text: '{"a": ' }, SHELL_CARD);
    assert.match(
      read.kind === "wrong" ? writeInEnglish(read.problem) : "",
      /^This isn't valid JSON: .+\. Fix it, then approve\.$/,
    );
  });

  it("is edited as plain text if one argument is all of what it shows, and the others stay", () => {
    const args = { command_line: "npm test", folder: "shop" };
    const line = createWaitingCard({ ...SHELL_CARD, text: "npm test", args }, undefined);
    const form = createEditingForm(line);
    const read = readEditedArguments({ argument: "command_line", text: "npm run lint" }, line.card);
    const hidden = {
      ...line,
      text: "npm \u202etest",
      card: { ...line.card, args: { command_line: "npm \u202etest" } },
    };
    assert.deepEqual(
      {
        form,
        read,
        empty: readEditedArguments({ argument: "command_line", text: " " }, line.card).kind,
        others: [shown, hidden].map((card) => Object.keys(createEditingForm(card))),
      },
      {
        form: { kind: "editing", text: "npm test", argument: "command_line" },
        read: { kind: "arguments", args: { command_line: "npm run lint", folder: "shop" } },
        empty: "wrong",
        others: [
          ["kind", "text"],
          ["kind", "text"],
        ],
      },
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
