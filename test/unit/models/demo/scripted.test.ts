import assert from "node:assert/strict";
import { createCriticismMessages } from "../../../../src/core/loop/think.ts";
import type { ModelRequest } from "../../../../src/core/ports/model.ts";
import { draftProfile } from "../../../../src/core/prompt/profile.ts";
import { createScriptedModel, type Script } from "../../../../src/models/demo/scripted-model.ts";
import { HELLO, Listener, reply, WITH_SCHEMA, WITH_TOOLS } from "../../../support/completing.ts";

const SCRIPT: Script = {
  profile: { name: "Player", role: "an actor", goals: ["Play the part."] },
  criticism: "Well played.",
  steps: [
    { thoughts: { text: "First." }, command: { name: "read_file", args: { filename: "a" } } },
    { text: "I forgot my words." },
    ({ count, said }) => ({
      thoughts: { text: `Step ${count}, ${said.join()}` },
      command: { name: "do_nothing", args: {} },
    }),
  ],
};

/** The request of a later step. */
function later(steps: number, ...said: readonly string[]): ModelRequest {
  const pair = [
    { role: "assistant" as const, content: "{}" },
    { role: "user" as const, content: "do_nothing is done:\nNothing was done." },
  ];
  const words = said.map((text) => ({ role: "user" as const, content: `The user says: ${text}` }));
  return {
    messages: [{ role: "system", content: "Act." }, ...Array.from({ length: steps }, () => pair).flat(), ...words],
  };
}

const WHOLE = { text: "First.", reasoning: "", plan: "", criticism: "", speak: "" };

describe("a scripted model", () => {
  it("calls a tool where tools are offered", async () => {
    const { text, calls, finish, model, costUsd } = await reply(createScriptedModel(SCRIPT), WITH_TOOLS);
    assert.deepEqual(
      { text, calls, finish, model, costUsd },
      {
        text: "",
        calls: [{ id: "call_1", name: "read_file", arguments: JSON.stringify({ thoughts: WHOLE, filename: "a" }) }],
        finish: "tool_calls",
        model: "scripted",
        costUsd: 0,
      },
    );
  });

  for (const [name, request] of [
    ["text", HELLO],
    ["a schema", WITH_SCHEMA],
  ] as const) {
    it(`answers in JSON where ${name} is asked for`, async () => {
      const { text, calls } = await reply(createScriptedModel(SCRIPT), request);
      assert.deepEqual(
        { said: JSON.parse(text), calls },
        { said: { thoughts: WHOLE, command: { name: "read_file", args: { filename: "a" } } }, calls: [] },
      );
    });
  }

  it("finds its place in the script from the prompt", async () => {
    const model = createScriptedModel(SCRIPT);
    const texts = [];
    for (const request of [later(1), later(2, "Hurry up."), later(7), later(1)])
      texts.push((await reply(model, request)).text);
    assert.deepEqual(
      texts.map((text) => (text.startsWith("{") ? JSON.parse(text).thoughts.text : text)),
      ["I forgot my words.", "Step 2, Hurry up.", "Step 7, ", "I forgot my words."],
    );
  });

  it("drafts its profile", async () => {
    const { profile } = await draftProfile("Play.", createScriptedModel(SCRIPT), new Listener());
    assert.deepEqual(profile, SCRIPT.profile);
  });

  it("criticises itself", async () => {
    const thoughts = { ...WHOLE, text: "" };
    const messages = createCriticismMessages({ name: "A", role: "b", goals: [] }, "t", {
      kind: "proposal",
      thoughts,
      call: { name: "x", args: {} },
    });
    assert.equal((await reply(createScriptedModel(SCRIPT), { messages })).text, "Well played.");
  });

  it("speaks at the speed that is set", async () => {
    const listener = new Listener();
    await createScriptedModel(SCRIPT, { tokensPerSecond: 2_000 }).complete(later(1), listener);
    assert.deepEqual(
      listener.deltas.map(({ text }) => text),
      ["I fo", "rgot", " my ", "word", "s."],
    );
  });
});
