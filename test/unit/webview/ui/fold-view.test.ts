import assert from "node:assert/strict";
import { describeRuleOrigin } from "../../../../src/webview/ui/fold-view.ts";

describe("an explanation of a decision", () => {
  it("names the place of its rule", () => {
    const rules = ["approval.rules[0]", "approval.deny[2]", "--yes-to read_file", "taught", "sensitive-file"];
    assert.deepEqual(rules.map(describeRuleOrigin), [
      "It's rule 1 in your setting autogpt.approval.rules.",
      "It's pattern 3 in autogpt.approval.deny, from your settings or the workspace's.",
      "It comes from the command line.",
      "You always allowed it on a card. Show What Is Allowed lists it and can revoke it.",
      "It's built in.",
    ]);
  });
});
