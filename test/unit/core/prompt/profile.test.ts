import assert from "node:assert/strict";
import fc from "fast-check";
import { completeProfile, convertToSlug } from "../../../../src/core/prompt/profile.ts";

describe("profile", () => {
  it("fills what was left blank from the task", () => {
    assert.deepEqual(completeProfile("  Mend the roof. ", { name: " ", goals: [" ", ""], budgetUsd: 0 }), {
      name: "AutoGPT",
      role: "an autonomous software developer who works in the open workspace",
      goals: ["Mend the roof."],
    });
  });

  it("keeps what was given, and five goals at most", () => {
    const goals = ["a", " b ", "c", "d", "e", "f"];
    assert.deepEqual(completeProfile("t", { name: " Ann ", role: "a roofer", goals, budgetUsd: 1.5 }), {
      name: "Ann",
      role: "a roofer",
      goals: ["a", "b", "c", "d", "e"],
      budgetUsd: 1.5,
    });
  });

  const slugs = [
    ["Entrepreneur-GPT", "entrepreneur-gpt"],
    ["  Crème brûlée!! ", "creme-brulee"],
    ["../../etc/passwd", "etc-passwd"],
    ["日本語", "agent"],
    ["", "agent"],
    [`${"x".repeat(39)}-y`, "x".repeat(39)],
  ] as const;
  for (const [name, expected] of slugs) {
    it(`makes ${JSON.stringify(name.slice(0, 20))} a folder name`, () => assert.equal(convertToSlug(name), expected));
  }

  it("makes a safe folder name of any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (name) => /^[a-z0-9][a-z0-9-]{0,39}$/.test(convertToSlug(name))),
    );
  });
});
