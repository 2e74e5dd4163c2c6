import assert from "node:assert/strict";
import { PauseGate } from "../../../../src/core/base/async.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";

const NEVER = new AbortController().signal;

describe("gate", () => {
  it("lets pass at once while it is open", async () => {
    assert.equal(await new PauseGate().waitUntilOpen(NEVER), undefined);
  });

  it("holds everybody back until it opens", async () => {
    const gate = new PauseGate();
    gate.close("lunch");
    const passed: string[] = [];
    const waiting = ["a", "b"].map((name) => gate.waitUntilOpen(NEVER).then(() => passed.push(name)));
    passed.push(`closed for ${writeInEnglish(gate.reason ?? "")}`);
    gate.open();
    await Promise.all(waiting);
    assert.deepEqual(passed, ["closed for lunch", "a", "b"]);
  });

  it("lets go of one who is called away", async () => {
    const gate = new PauseGate();
    const controller = new AbortController();
    gate.close("lunch");
    const waiting = gate.waitUntilOpen(controller.signal);
    controller.abort(new Error("stop"));
    await assert.rejects(waiting, { message: "stop" });
  });

  it("does not let one pass who was called away before", async () => {
    await assert.rejects(new PauseGate().waitUntilOpen(AbortSignal.abort(new Error("stop"))), {
      message: "stop",
    });
  });
});
