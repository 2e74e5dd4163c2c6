import assert from "node:assert/strict";
import { Grants } from "../../../src/safety/grants.ts";
import { Beside } from "../../../src/vscode/beside.ts";
import type { DiffReview } from "../../../src/vscode/diff-review.ts";
import type { HostedRun, HostedRuns } from "../../../src/vscode/hosted-runs.ts";
import { proposalOf, Waits } from "../../../src/vscode/waits.ts";
import { says } from "../../support/fake-model.ts";
import { rehearsal } from "../../support/rehearsal.ts";

const NO_DIFF: Partial<DiffReview> = { active: () => undefined, accepted: () => undefined };
const NO_RUNS: Partial<HostedRuns> = { onChange: () => ({ dispose: () => undefined }) };

/** A run whose first proposal waits. */
async function waitingRun() {
  const answers = ["a", "b", "c"].map((title) => says("read_note", { title }));
  const { live, run } = await rehearsal({ answers, approver: "user" });
  const grants = new Grants();
  const shown = new Promise<void>((resolve) => live.onWaiting(resolve));
  live.resume();
  await shown;
  const hosted: HostedRun = {
    beside: new Beside(),
    id: run.state.id,
    run,
    live,
    grants,
    home: "",
    folder: "",
    dispose: async () => {},
  };
  const waiting = proposalOf(hosted);
  assert.ok(waiting);
  return { waiting, grants, live };
}

describe("approving a proposal", () => {
  it("approves none that has taken its place meanwhile", async () => {
    const { waiting, live, grants } = await waitingRun();
    const waits = new Waits(NO_RUNS as HostedRuns, NO_DIFF as DiffReview);
    const earlier = { ...waiting, request: { ...waiting.request, hash: "of what was shown before" } };
    await assert.rejects(waits.approve(earlier), { message: /no longer the one that waits/ });
    const still = live.waiting?.kind;
    await live.stop();
    assert.deepEqual([still, grants.left], ["proposal", 0]);
  });
});

describe("approving the next commands", () => {
  it("grants nothing the second time, when it was asked for twice", async () => {
    const { waiting, grants, live } = await waitingRun();
    const waits = new Waits(NO_RUNS as HostedRuns, NO_DIFF as DiffReview);
    const granted: number[] = [];
    grants.onChange(() => granted.push(grants.left));
    live.onWaiting(() => live.waiting === undefined && grants.use("grant"));
    const both = await Promise.allSettled([1, 2].map(() => waits.approve(waiting, { count: 3 })));
    await live.stop();
    assert.deepEqual(
      [both.map(({ status }) => status), granted],
      [
        ["fulfilled", "rejected"],
        [3, 2],
      ],
    );
  });
});
