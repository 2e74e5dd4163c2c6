import assert from "node:assert/strict";
import { ContextBudget } from "../../../../src/core/context/context-budget.ts";
import { Run } from "../../../../src/core/events/run.ts";
import { describeCompaction } from "../../../../src/runtime/run-control.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { type Answer, FakeModel, says } from "../../../support/fake-model.ts";
import { MemoryLog } from "../../../support/memory-log.ts";
import { ofType, rehearsal } from "../../../support/rehearsal.ts";

describe("compacting now", () => {
  const look = (title: string) => says("read_note", { title: title.repeat(2_000) });
  const FINISH = says("task_complete", { title: "Done." });

  /** A run that pauses after the fifth step; its history is long by then. */
  async function pausedRun(answers: readonly Answer[]) {
    const contextBudget = new ContextBudget();
    const done = await rehearsal({
      answers,
      model: new FakeModel(answers, ["text"], 128_000),
      start: { model: { smart: "fake", fast: "fake", contextWindow: 128_000 } },
      thinking: { contextBudget },
    });
    const paused = new Promise<void>((resolve) => {
      done.run.onEvent((event) => {
        if (event.type === "ended" && event.step === 5) done.live.pause();
        if (event.type === "paused") resolve();
      });
    });
    done.live.resume();
    await paused;
    return done;
  }

  it("waits for the next step, shortens its prompt and records what was done", async () => {
    const { live, log, run } = await pausedRun([..."abcde"].map(look).concat(FINISH));
    const compacting = live.compact();
    const before = ofType(log.events, "compacted").length;
    live.resume();
    const result = await compacting;
    await live.end;
    const last = ofType(log.events, "asked").at(-1);
    const [one, two] = ofType(log.events, "compacted");
    assert.deepEqual(
      {
        before,
        kind: result.kind,
        shorter: result.kind === "compacted" && result.tokensAfter < result.tokensBefore / 2,
        told: result.kind === "compacted" && last?.tokens === result.tokensAfter,
        through: one?.through,
        more: two,
        summary: run.history.summary?.through,
        steps: ofType(log.events, "ended").length,
      },
      {
        before: 0,
        kind: "compacted",
        shorter: true,
        told: true,
        through: 4,
        more: undefined,
        summary: 4,
        steps: 6,
      },
    );
  });

  it("does nothing to a short history, and says so", async () => {
    const short = [..."abcde"].map((title) => says("read_note", { title }));
    const { live, log } = await pausedRun([...short, FINISH]);
    const compacting = live.compact();
    live.resume();
    assert.deepEqual(
      [await compacting, (await live.end).reason, ofType(log.events, "compacted").length],
      [{ kind: "nothing" }, "finished", 0],
    );
  });

  it("is over when the run stops first, and when it isn't active", async () => {
    const { live } = await pausedRun([..."abcde"].map(look).concat(FINISH));
    const compacting = live.compact();
    await live.stop();
    assert.deepEqual([await compacting, await live.compact()], [{ kind: "stopped" }, { kind: "stopped" }]);
  });

  it("leaves a run that can be continued with the same prompt", async () => {
    const { live, log, run } = await pausedRun([..."abcde"].map(look).concat(FINISH));
    const compacting = live.compact();
    live.resume();
    await compacting;
    await live.end;
    const again = Run.openStored(new MemoryLog(), JSON.parse(JSON.stringify(log.events)));
    assert.deepEqual(
      [again.history.messages("text"), again.state.promptTokens],
      [run.history.messages("text"), run.state.promptTokens],
    );
  });
});

describe("the sentence about a compaction", () => {
  it("names the tokens before and after, or says why nothing was done", () => {
    assert.deepEqual(
      [
        describeCompaction({ kind: "compacted", tokensBefore: 48_000, tokensAfter: 12_000 }),
        describeCompaction({ kind: "nothing" }),
        describeCompaction({ kind: "stopped" }),
      ].map(writeInEnglish),
      [
        "The history was compacted: the prompt went from 48,000 to 12,000 tokens. Nothing was removed from the run's log.",
        "There is nothing to compact: the history is still short.",
        "The run stopped before its next step, so its history wasn't compacted.",
      ],
    );
  });
});
