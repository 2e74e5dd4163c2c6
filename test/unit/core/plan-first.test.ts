import assert from "node:assert/strict";
import { says } from "../../support/fake-model.ts";
import { ofType, rehearsal, rehearse } from "../../support/rehearsal.ts";

describe("a run that plans first", () => {
  it("is reminded of that in each prompt until the user changes the mode", async () => {
    const answers = [says("read_note", { title: "a" }), says("task_complete", { title: "The plan." })];
    const planned = await rehearse({ answers, start: { mode: "plan" } });
    const { live, log, run } = await rehearsal({
      answers: [says("task_complete", { title: "Done." })],
      events: planned.log.events,
    });
    await run.record({ type: "changed", mode: "ask" });
    await run.record({ type: "said", text: "Carry it out.", by: "user" });
    live.resume();
    await live.end;
    const told = ofType(log.events, "asked").map(({ tail }) =>
      tail.remarks.some((remark) => remark.startsWith("The user wants a plan first")),
    );
    assert.deepEqual({ told, mode: run.state.mode }, { told: [true, true, false], mode: "ask" });
  });
});
