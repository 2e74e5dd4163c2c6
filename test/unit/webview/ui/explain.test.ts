import assert from "node:assert/strict";
import { ruleOrigin } from "../../../../src/webview/ui/fold-view.ts";

describe("an explanation of a decision", () => {
  it("says where its rule stands", () => {
    const rules = ["approval.rules[0]", "approval.deny[2]", "--yes-to read_file", "taught", "sensitive-file"];
    assert.deepEqual(rules.map(ruleOrigin), [
      "It is number 1 of your setting autogpt.approval.rules.",
      "It is number 3 of autogpt.approval.deny, from your settings or the workspace's.",
      "It was given on the command line.",
      "You taught it on a card. Show What Is Allowed lists it and takes it back.",
      "It is built in.",
    ]);
  });
});
