import assert from "node:assert/strict";
import { ruleOrigin } from "../../../src/webview/explain.ts";

describe("an explanation of a decision", () => {
  it("says where its rule stands", () => {
    const rules = ["approval.rules[0]", "approval.deny[2]", "--yes-to read_file", "taught", "sensitive-file"];
    assert.deepEqual(rules.map(ruleOrigin), [
      "The rule is number 1 of your setting autogpt.approval.rules.",
      "The rule is number 3 of autogpt.approval.deny, from your settings or the workspace's.",
      "The rule was given on the command line: --yes-to read_file.",
      "You taught the rule on a card. Show What Is Allowed lists it and takes it back.",
      "The rule is built in: sensitive-file.",
    ]);
  });
});
