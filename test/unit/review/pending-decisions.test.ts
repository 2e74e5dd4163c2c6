import assert from "node:assert/strict";
import { SideEvents } from "../../../src/panel/side-events.ts";
import { PendingDecisions, pendingProposal } from "../../../src/review/pending-decisions.ts";
import { Grants } from "../../../src/safety/policy/grants.ts";
import type { HostedRun, HostedRuns } from "../../../src/vscode/host/hosted-runs.ts";
import type { DiffReview } from "../../../src/vscode/review/diff-review.ts";
import { says } from "../../support/fake-model.ts";
import { rehearsal } from "../../support/rehearsal.ts";

const NO_DIFF: Partial<DiffReview> = {
  active: () => undefined,
  accepted: () => undefined,
  onDidChange: () => ({ dispose: () => undefined }),
};
const NO_RUNS: Partial<HostedRuns> = { onChange: () => ({ dispose: () => undefined }) };

/** A run whose first proposal waits. */
async function waitingRun() {
  const answers = ["a", "b", "c"].map((title) => says("read_note", { title }));
  const { live, run } = await rehearsal({ answers, approver: "user" });
  const grants = new Grants();
  const shown = new Promise<void>((resolve) => live.onPending(resolve));
  live.resume();
  await shown;
  const hosted: HostedRun = {
    sideEvents: new SideEvents(),
    past: [],
    id: run.state.id,
    run,
    live,
    grants,
    home: "",
    folder: "",
    dispose: async () => {},
  };
  const waiting = pendingProposal(hosted);
  assert.ok(waiting);
  return { waiting, grants, live };
}

describe("approving a proposal", () => {
  it("approves none that has taken its place meanwhile", async () => {
    const { waiting, live, grants } = await waitingRun();
    const waits = new PendingDecisions(NO_RUNS as HostedRuns, NO_DIFF as DiffReview);
    const earlier = { ...waiting, request: { ...waiting.request, hash: "of what was shown before" } };
    await assert.rejects(waits.approve(earlier), { message: /no longer pending/ });
    const still = live.pending?.kind;
    await live.stop();
    assert.deepEqual([still, grants.left], ["proposal", 0]);
  });
});

describe("a proposal that was not seen as a whole", () => {
  it("is not approved, in advance or not, and says how it can be", async () => {
    const { waiting, live, grants } = await waitingRun();
    const waits = new PendingDecisions(NO_RUNS as HostedRuns, NO_DIFF as DiffReview);
    const tries = await Promise.allSettled([waits.approve(waiting), waits.approve(waiting, { count: 3 })]);
    const still = live.pending?.kind;
    await live.stop();
    assert.deepEqual(
      {
        tries: tries.map((one) => (one.status === "rejected" ? String(one.reason) : "approved")),
        still,
        left: grants.left,
      },
      {
        tries: Array.from(tries, () => "Error: Scroll to the end or open it in an editor to approve."),
        still: "proposal",
        left: 0,
      },
    );
  });

  it("can be approved once it was, which is told once", async () => {
    const { waiting, live } = await waitingRun();
    const waits = new PendingDecisions(NO_RUNS as HostedRuns, NO_DIFF as DiffReview);
    const told: string[] = [];
    waits.onSeen((_hosted, hash) => told.push(hash));
    const before = waits.isSeen(waiting.request);
    waits.saw(waiting, "diff");
    waits.saw(waiting, "card");
    waits.saw(waiting, "editor");
    await waits.approve(waiting);
    await live.stop();
    assert.deepEqual({ before, told }, { before: false, told: [waiting.request.hash] });
  });
});

describe("approving the next commands", () => {
  it("grants nothing the second time, when it was asked for twice", async () => {
    const { waiting, grants, live } = await waitingRun();
    const waits = new PendingDecisions(NO_RUNS as HostedRuns, NO_DIFF as DiffReview);
    waits.saw(waiting, "card");
    const granted: number[] = [];
    grants.onChange(() => granted.push(grants.left));
    live.onPending(() => live.pending === undefined && grants.use("grant"));
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
