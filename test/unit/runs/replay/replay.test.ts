import assert from "node:assert/strict";
import fc from "fast-check";
import { Run } from "../../../../src/core/events/run.ts";
import { replay } from "../../../../src/runs/replay/replay.ts";
import type { AgentEvent } from "../../../../src/schema/events.ts";
import { says } from "../../../support/fake-model.ts";
import { MemoryLog } from "../../../support/memory-log.ts";
import { play, randomRuns } from "../../../support/random-run.ts";
import { deciding, rehearsal, rehearse } from "../../../support/rehearsal.ts";

describe("a replay of a recorded run", () => {
  it("comes to the very same events, whatever happened in the run", async () => {
    await fc.assert(
      fc.asyncProperty(randomRuns([4_000, 32_000]), async (random) => {
        const { log } = await play(random);
        assert.deepEqual(await replay(log.events), { events: log.events });
      }),
      { numRuns: 40 },
    );
  });

  it("covers words, pauses, stops and a crash during a command", async () => {
    const first = await rehearse({
      answers: [says("write_note", { title: "a" }), says("task_complete", { title: "Done." })],
      approver: deciding({ allow: true, args: { title: "b" } }),
    });
    const run = Run.openStored(first.log, first.log.events);
    await run.record({ type: "said", text: "Once more.", by: "user" });
    await run.record({ type: "resumed", reason: "continued by the user" });
    const events = [...first.log.events];
    const second = await rehearsal({ events, answers: [says("wait_note", { title: "c" })] });
    second.live.resume();
    while (second.run.state.open?.stage !== "began") await new Promise(setImmediate);
    await second.live.stop();
    const third = await rehearsal({
      events: [...second.log.events],
      answers: [says("task_complete", { title: "Now." })],
    });
    third.live.resume();
    await third.live.end;
    assert.deepEqual(await replay(third.log.events), { events: third.log.events });
  });

  it("comes to the same calls that the commands understood, also from a log that kept them as they were written", async () => {
    const { log } = await rehearse({
      answers: [says("open_note", { name: 7, volume: 11 }), says("task_complete", { title: "Done." })],
    });
    const older = log.events.map(
      (event): AgentEvent =>
        event.type === "replied" && event.step === 1 && event.reply.kind === "proposal"
          ? { ...event, reply: { ...event.reply, call: { name: "open_note", args: { title: "7" } } } }
          : event,
    );
    assert.deepEqual([await replay(log.events), await replay(older)], [{ events: log.events }, { events: older }]);
  });

  it("says from which event on the program does not do what it did", async () => {
    const { log } = await rehearse({
      answers: [says("read_note", { title: "a" }), says("task_complete", { title: "Done." })],
    });
    const other = log.events.map(
      (event): AgentEvent =>
        event.type === "asked" && event.step === 2
          ? { ...event, tail: { ...event.tail, remarks: ["Something else."] } }
          : event,
    );
    assert.equal((await replay(other)).differs, 6);
  });

  it("does not begin without a start", async () => {
    await assert.rejects(replay(new MemoryLog().events), { message: /doesn't begin/ });
  });
});
