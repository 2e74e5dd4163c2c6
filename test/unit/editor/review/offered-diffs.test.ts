import assert from "node:assert/strict";
import type { Outcome } from "../../../../src/core/commands/outcome.ts";
import { type FollowedRuns, offerDiffs } from "../../../../src/editor/review/offered-diffs.ts";
import type { AgentEvent, AgentEventBody } from "../../../../src/schema/events.ts";

const DONE: Outcome = { status: "done", output: "" };

/** A run whose proposals and events a test makes up, and what its diffs were asked to do. */
function followed() {
  const asked: string[] = [];
  const note =
    (what: string) =>
    async (_run: string, step: number): Promise<void> => {
      asked.push(`${what} ${step}`);
    };
  let change: Parameters<FollowedRuns["onChange"]>[0] = () => undefined;
  let tell: Parameters<FollowedRuns["onEvent"]>[0] = () => undefined;
  const following = { dispose: () => undefined };
  const runs: FollowedRuns = {
    onChange: (listener) => {
      change = listener;
      return following;
    },
    onEvent: (listener) => {
      tell = listener;
      return following;
    },
  };
  offerDiffs(
    runs,
    {
      offer: async (_run, { step }, { auto, cover }) => {
        asked.push(`offer ${step}${auto ? " auto" : ""}${cover ? " cover" : ""}`);
      },
      withdraw: note("withdraw"),
      showWritten: note("show"),
    },
    { shouldOpenDiffs: () => true, cover: () => false },
  );
  const pends = (step?: number, kind = "change"): void => {
    const request = { step, prepared: { preview: { kind } } };
    const pending = step === undefined ? undefined : { kind: "proposal", request };
    change({ id: "run", run: { state: { task: "Do it" } }, live: { pending } } as unknown as Parameters<
      typeof change
    >[0]);
  };
  const happens = (body: AgentEventBody): void => {
    tell({ runId: "run", event: { seq: 0, at: "", ...body } as AgentEvent });
  };
  return { asked, pends, happens };
}

const decided = (step: number, allow: boolean): AgentEventBody => ({
  ...{ type: "decided", step, allow, by: "user", reason: "", hash: "" },
});

describe("the diff of a decided change", () => {
  it("gives way to the written file once the change was made", () => {
    const { asked, pends, happens } = followed();
    pends(1);
    pends();
    happens(decided(1, true));
    const meanwhile = [...asked];
    happens({ type: "ended", step: 1, outcome: DONE });

    assert.deepEqual([meanwhile, asked.slice(1)], [["offer 1 auto"], ["show 1"]]);
  });

  it("closes when the change was rejected, failed or given up", () => {
    const ends: readonly AgentEventBody[] = [
      decided(1, false),
      { type: "ended", step: 1, outcome: { status: "failed", error: "" } },
      { type: "over", end: { reason: "stopped" } },
    ];
    const heard = ends.map((event) => {
      const { asked, pends, happens } = followed();
      pends(1);
      pends();
      happens(event);
      return asked.slice(1);
    });

    assert.deepEqual(heard, [["withdraw 1"], ["withdraw 1"], ["withdraw 1"]]);
  });

  it("is replaced by another version of the step, and closes for another step", () => {
    const { asked, pends, happens } = followed();
    pends(1);
    pends();
    pends(1);
    pends();
    pends(2, "details");
    happens({ type: "ended", step: 1, outcome: DONE });

    assert.deepEqual(asked, ["offer 1 auto", "offer 1 auto", "withdraw 1"]);
  });
});
