import assert from "node:assert/strict";
import { displayText, writeInEnglish } from "../../../../src/texts/display-text.ts";
import {
  chooseStartHint,
  createProfileForm,
  hasTooManyGoals,
  joinGoals,
  parseDollars,
  parseProfileForm,
  setGoalText,
} from "../../../../src/webview/start/profile-form.ts";

const FORM_PROFILE = { name: "Fixer", role: "a fixer", goals: ["one", "two", "three"] };
const FORM = createProfileForm("Fix it", FORM_PROFILE);

describe("the profile form", () => {
  it("gives back the profile it was made of", () => {
    const profile = { name: "Fixer", role: "a fixer", goals: ["one"], budgetUsd: 1.5 };
    assert.deepEqual(parseProfileForm(createProfileForm("Fix it", profile)), profile);
  });

  it("gives back how the agent works, its commands as they may be typed", () => {
    const working = { strategy: "tasks", commands: ["read_file", "git"], model: "gpt-5@openai" } as const;
    const form = createProfileForm("Fix it", { ...FORM_PROFILE, ...working });
    assert.deepEqual(
      [
        parseProfileForm(form),
        parseProfileForm({ ...form, strategy: "autogpt", commands: " read_file,git ,", model: " " }),
      ],
      [
        { ...FORM_PROFILE, ...working },
        { ...FORM_PROFILE, commands: working.commands },
      ],
    );
  });

  it("fills what is left blank", () => {
    assert.deepEqual(parseProfileForm({ ...setGoalText(FORM, " \n"), name: " ", role: "" }), {
      name: "AutoGPT",
      role: "an autonomous software developer who works in the open workspace",
      goals: ["Fix it"],
    });
  });

  it("has its goals as one text that keeps what is typed, one goal per line", () => {
    const typed = "one\n\n two ";
    const form = setGoalText(FORM, typed);
    assert.deepEqual(
      { shown: joinGoals(FORM), kept: joinGoals(form), goals: parseProfileForm(form)?.goals },
      { shown: "one\ntwo\nthree", kept: typed, goals: ["one", "two"] },
    );
  });

  it("has no profile with more than five goals", () => {
    const [five, six] = ["1\n2\n3\n\n4\n5\n", "1\n2\n3\n4\n5\n6"].map((typed) => setGoalText(FORM, typed));
    assert.ok(five && six);
    assert.deepEqual([hasTooManyGoals(five), hasTooManyGoals(six), parseProfileForm(six)], [false, true, undefined]);
  });

  it("reads amounts of dollars and refuses what is none", () => {
    assert.deepEqual(["", "1.5", "$ 2", "0,75", "-1", "two", "Infinity"].map(parseDollars), [
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
    assert.equal(parseProfileForm({ ...FORM, budget: "much" }), undefined);
  });

  it("names the keys of the machine that shows the panel in its button's hint", () => {
    const hints = ["MacIntel", "Win32", "Linux x86_64", "iPad"].map((platform) =>
      writeInEnglish(displayText(chooseStartHint(platform))),
    );
    assert.deepEqual(hints, ["Start (Cmd+Enter)", "Start (Ctrl+Enter)", "Start (Ctrl+Enter)", "Start (Cmd+Enter)"]);
  });
});
