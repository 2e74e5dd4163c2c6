import assert from "node:assert/strict";
import { ModelError } from "../../../src/core/ports/model.ts";
import { addReconnection } from "../../../src/models/model-resolver.ts";
import { HELLO, reply, trouble } from "../../support/completing.ts";
import { FakeModel } from "../../support/fake-model.ts";

const WRONG_KEY = new ModelError("setup", "The key is wrong. Set another one.");

describe("a model whose setup the user can fix", () => {
  it("is made again after trouble with its setup, and only then", async () => {
    let made = 0;
    const model = addReconnection(new FakeModel([WRONG_KEY]), async () => {
      made++;
      return new FakeModel([{ text: "Here I am." }]);
    });

    const first = await trouble(model, HELLO);
    const texts = [(await reply(model)).text, (await reply(model)).text];

    assert.deepEqual([first.trouble, texts, made], ["setup", ["Here I am.", "Here I am."], 1]);
  });

  it("is kept after trouble that passes by itself", async () => {
    const model = addReconnection(new FakeModel([new ModelError("busy", "Try again later."), { text: "Again." }]), () =>
      Promise.reject(new Error("It should have been kept.")),
    );

    await trouble(model, HELLO);

    assert.equal((await reply(model)).text, "Again.");
  });
});
