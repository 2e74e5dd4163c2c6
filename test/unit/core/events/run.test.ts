import assert from "node:assert/strict";
import { Run } from "../../../../src/core/events/run.ts";
import type { AgentEvent, AgentEventBody } from "../../../../src/schema/events.ts";
import { MemoryLog } from "../../../support/memory-log.ts";
import { sampleStart } from "../../../support/sample-run.ts";

/** A log that knows which events were written together. */
class CountingLog extends MemoryLog {
  readonly writes: string[] = [];

  override append(event: AgentEvent): Promise<AgentEvent> {
    this.writes.push(namesOf([event]));
    return super.append(event);
  }

  override appendAll(events: readonly AgentEvent[]): Promise<readonly AgentEvent[]> {
    this.writes.push(namesOf(events));
    return super.appendAll(events);
  }
}

function namesOf(events: readonly AgentEvent[]): string {
  return events.map((event) => (event.type === "hooked" ? event.plugin : event.type)).join(" ");
}

function hooked(plugin: string): AgentEventBody {
  return { type: "hooked", step: 1, plugin, hook: "beforeCommand", ms: 1, result: "none" };
}

async function running() {
  const log = new CountingLog();
  return { log, run: await Run.start(log, sampleStart()) };
}

describe("events that nothing waits for", () => {
  it("are written with the next one, after those before them", async () => {
    const { log, run } = await running();
    const paused = run.record({ type: "paused", reason: "why" });
    run.recordSoon([hooked("a"), hooked("b")]);
    run.recordSoon([hooked("c")]);
    const resumed = await run.record({ type: "resumed", reason: "now" });
    await paused;
    const { writes } = log;
    assert.deepEqual(
      { writes, seq: resumed.seq, logged: log.events.map(({ seq }) => seq) },
      { writes: ["started", "paused", "a b c resumed"], seq: 5, logged: [0, 1, 2, 3, 4, 5] },
    );
  });

  it("are written by themselves if nothing follows", async () => {
    const { log, run } = await running();
    const written = new Promise((resolve) => run.onEvent(resolve));
    run.recordSoon([hooked("a")]);
    await written;
    assert.deepEqual(log.writes, ["started", "a"]);
  });

  it("are in the log before it is synced or closed", async () => {
    const { log, run } = await running();
    run.recordSoon([hooked("a")]);
    await run.sync();
    run.recordSoon([hooked("b")]);
    await run.close();
    assert.deepEqual({ writes: log.writes, syncs: log.syncs }, { writes: ["started", "a", "b"], syncs: [2] });
  });
});
