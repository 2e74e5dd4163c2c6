import assert from "node:assert/strict";
import { Gate } from "../../../src/core/gate.ts";

const NEVER = new AbortController().signal;

describe("gate", () => {
  it("lets pass at once while it is open", async () => {
    assert.equal(await new Gate().opened(NEVER), undefined);
  });

  it("holds everybody back until it opens", async () => {
    const gate = new Gate();
    gate.close("lunch");
    const passed: string[] = [];
    const waiting = ["a", "b"].map((name) => gate.opened(NEVER).then(() => passed.push(name)));
    passed.push(`closed for ${gate.reason}`);
    gate.open();
    await Promise.all(waiting);
    assert.deepEqual(passed, ["closed for lunch", "a", "b"]);
  });

  it("lets go of one who is called away", async () => {
    const gate = new Gate();
    const controller = new AbortController();
    gate.close("lunch");
    const waiting = gate.opened(controller.signal);
    controller.abort(new Error("stop"));
    await assert.rejects(waiting, { message: "stop" });
  });

  it("does not let one pass who was called away before", async () => {
    await assert.rejects(new Gate().opened(AbortSignal.abort(new Error("stop"))), { message: "stop" });
  });
});
