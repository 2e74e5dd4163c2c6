import assert from "node:assert/strict";
import { draftProfile, readDraft } from "../../../../src/core/prompt/profile.ts";
import { FakeModel } from "../../../support/fake-model.ts";

const ANN = { name: "Ann", role: "a roofer", goals: ["Find the leak", "Mend it"] };

describe("draft", () => {
  const readable: [string, string][] = [
    ["JSON", JSON.stringify(ANN)],
    [
      "JSON in a fence, with trailing commas",
      '```json\n{"name":"Ann","role":"a roofer","goals":["Find the leak","Mend it",],}\n```',
    ],
    ["an older name for the role", JSON.stringify({ name: "Ann", description: " a  roofer ", goals: ANN.goals })],
    ["classic lines", "Name: Ann\nDescription: a roofer\nGoals:\n- Find the leak\n- Mend it\n"],
    ["classic lines in bold, numbered", "**Name**: Ann\n**Role**: a roofer\n**Goals**:\n1. Find the leak\n2) Mend it"],
  ];
  for (const [name, text] of readable) {
    it(`reads ${name}`, () => assert.deepEqual(readDraft(text), ANN));
  }

  const unreadable = [
    "",
    "Sorry, I cannot.",
    '{"name":"Ann"}',
    '{"name":"Ann","role":"a roofer","goals":[]}',
    '{"name":7,"role":[],"goals":"x"}',
  ];
  for (const text of unreadable) {
    it(`reads no profile from ${JSON.stringify(text)}`, () => assert.equal(readDraft(text), undefined));
  }

  it("keeps five goals at most", () => {
    const draft = readDraft(JSON.stringify({ ...ANN, goals: ["1", "2", "", "3", "4", "5", "6"] }));
    assert.deepEqual(draft?.goals, ["1", "2", "3", "4", "5"]);
  });

  it("gives a profile that is used again new goals for the new task, and keeps the rest", async () => {
    const goals = ["Clear the gutter"];
    const model = new FakeModel([{ text: JSON.stringify({ name: "Bob", role: "a cook", goals }) }]);
    const completing = { signal: new AbortController().signal };
    const { profile } = await draftProfile("Clear the gutter", model, completing, { ...ANN, budgetUsd: 2 });
    const said = JSON.stringify(model.requests[0]?.messages);
    assert.deepEqual(
      {
        profile,
        calls: model.requests.length,
        names: said.includes("a roofer"),
        tellsOld: said.includes("leak"),
      },
      { profile: { ...ANN, budgetUsd: 2, goals }, calls: 1, names: true, tellsOld: false },
    );
  });

  it("reads goals alone for a profile that is used again, and nothing without any", () =>
    assert.deepEqual(
      [readDraft("- Clear the gutter", ANN)?.goals, readDraft('{"goals": []}', ANN)],
      [["Clear the gutter"], undefined],
    ));

  it("asks a model for it", async () => {
    const model = new FakeModel([{ text: JSON.stringify(ANN) }, { text: "no" }]);
    const completing = { signal: new AbortController().signal };
    const [good, bad] = [
      await draftProfile("Mend the roof", model, completing),
      await draftProfile("x", model, completing),
    ];
    assert.deepEqual(
      [good.profile, "profile" in bad, model.requests[0]?.messages[1]?.content],
      [ANN, false, "Task:\nMend the roof"],
    );
  });
});
