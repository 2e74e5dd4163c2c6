import assert from "node:assert/strict";
import {
  blankForm,
  dollars,
  profileForm,
  profileOf,
  withGoal,
  withGoalMoved,
  withNewGoal,
  withoutGoal,
} from "../../../../src/webview/start/profile-form.ts";

const FORM = profileForm("Mend it", { name: "Fixer", role: "a fixer", goals: ["one", "two", "three"] });

const goalsOf = (form: typeof FORM): readonly string[] => form.goals.map((goal) => goal.text);

describe("the profile form", () => {
  it("gives back the profile it was made of", () => {
    const profile = { name: "Fixer", role: "a fixer", goals: ["one"], budgetUsd: 1.5 };
    assert.deepEqual(profileOf(profileForm("Mend it", profile)), profile);
  });

  it("fills what is left blank", () => {
    assert.deepEqual(profileOf({ ...blankForm("Mend it"), name: " " }), {
      name: "AutoGPT",
      role: "an autonomous software developer who works in the open workspace",
      goals: ["Mend it"],
    });
  });

  it("moves goals as far as they go", () => {
    const moved = [withGoalMoved(FORM, 2, -1), withGoalMoved(FORM, 0, 1), withGoalMoved(FORM, 0, -1)];
    assert.deepEqual(moved.map(goalsOf), [
      ["one", "three", "two"],
      ["two", "one", "three"],
      ["one", "two", "three"],
    ]);
  });

  it("gives each new goal a key of its own, and stops at five", () => {
    const full = [0, 1, 2, 3].reduce(withNewGoal, withoutGoal(FORM, 1));
    assert.deepEqual(
      full.goals.map((goal) => goal.key),
      [0, 2, 3, 4, 5],
    );
  });

  it("keeps one goal at least", () => {
    const one = withoutGoal(withoutGoal(FORM, 0), 1);
    assert.equal(withoutGoal(one, 2), one);
  });

  it("changes the goal of a key", () => {
    assert.deepEqual(goalsOf(withGoal(FORM, 1, "zwei")), ["one", "zwei", "three"]);
  });

  it("reads amounts of dollars and refuses what is none", () => {
    assert.deepEqual(["", "1.5", "$ 2", "0,75", "-1", "two", "Infinity"].map(dollars), [
      0,
      1.5,
      2,
      0.75,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("has no profile while its budget is not an amount", () => {
    assert.equal(profileOf({ ...FORM, budget: "much" }), undefined);
  });
});
