import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import type { Preview } from "../../../../src/core/commands/command.ts";
import {
  findPendingProposal,
  type OpenRuns,
  PendingDecisions,
  type ProposalDiffs,
  parseNamedProposal,
  showWhole,
} from "../../../../src/editor/review/pending-decisions.ts";
import type { ComposedRun } from "../../../../src/runtime/composed-run.ts";
import { Grants } from "../../../../src/safety/policy/grants.ts";

import { says } from "../../../support/fake-model.ts";
import { rehearsal } from "../../../support/rehearsal.ts";

const NO_DIFF: Partial<ProposalDiffs> = {
  findActiveProposal: () => undefined,
  findAcceptedText: () => undefined,
  onDidChange: () => ({ dispose: () => undefined }),
};
const NO_RUNS: Partial<OpenRuns> = { onChange: () => ({ dispose: () => undefined }) };

/** A run whose first proposal waits. */
async function waitingRun() {
  const answers = ["a", "b", "c"].map((title) => says("read_note", { title }));
  const { live, run, log } = await rehearsal({ answers, approver: "user" });
  const grants = new Grants();
  const shown = new Promise<void>((resolve) => live.onPending(resolve));
  live.resume();
  await shown;
  const hosted: ComposedRun = {
    past: [],
    id: run.state.id,
    run,
    live,
    grants,
    home: "",
    folder: "",
    dispose: async () => {},
  };
  const waiting = findPendingProposal(hosted);
  assert.ok(waiting);
  return { waiting, grants, live, log };
}

describe("approving a proposal", () => {
  it("approves none that has taken its place meanwhile", async () => {
    const { waiting, live, grants } = await waitingRun();
    const waits = new PendingDecisions(NO_RUNS as OpenRuns, NO_DIFF as ProposalDiffs);
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
    const waits = new PendingDecisions(NO_RUNS as OpenRuns, NO_DIFF as ProposalDiffs);
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
        tries: Array.from(tries, () => "DisplayError: Scroll through all of it, or open it in an editor, to approve."),
        still: "proposal",
        left: 0,
      },
    );
  });

  it("can be approved once it was, which is reported once", async () => {
    const { waiting, live } = await waitingRun();
    const waits = new PendingDecisions(NO_RUNS as OpenRuns, NO_DIFF as ProposalDiffs);
    const told: string[] = [];
    waits.onSeen((_hosted, hash) => told.push(hash));
    const before = waits.isSeen(waiting.request);
    waits.markSeen(waiting, "diff");
    waits.markSeen(waiting, "card");
    waits.markSeen(waiting, "editor");
    await waits.approve(waiting);
    await live.stop();
    assert.deepEqual({ before, told }, { before: false, told: [waiting.request.hash] });
  });
});

describe("an approved proposal", () => {
  const approved = async (count?: number, accepted?: string) => {
    const { waiting, live, log } = await waitingRun();
    const diff = { ...NO_DIFF, findAcceptedText: () => accepted } as ProposalDiffs;
    const waits = new PendingDecisions(NO_RUNS as OpenRuns, diff);
    waits.markSeen(waiting, "card");
    await waits.approve(waiting, count === undefined ? {} : { count });
    await live.stop();
    return log.events.flatMap((event): readonly object[] => {
      if (event.type === "granted") return [{ granted: event.count }];
      if (event.type !== "decided" || event.step !== 1) return [];
      return [{ allow: event.allow, edited: event.edited ?? false }];
    });
  };

  it("is decided with the text of its diff, after a grant for more commands than this one", async () => {
    const [one, first, many, edited] = await Promise.all([
      approved(),
      approved(1),
      approved(2),
      approved(undefined, "as edited"),
    ]);
    const allow = { allow: true, edited: false };
    assert.deepEqual(
      { one, first, many, edited },
      { one: [allow], first: [allow], many: [{ granted: 2 }, allow], edited: [{ ...allow, edited: true }] },
    );
  });
});

describe("a diff that was scrolled", () => {
  it("counts as seen if it is the diff of the pending proposal", async () => {
    const { waiting, live } = await waitingRun();
    const preview = { kind: "change", file: "a.ts", target: "/a.ts", after: "a" } as const;
    Object.assign(waiting.request.prepared, { preview });
    let isShown = false;
    let scrolled = () => {};
    const diff: Partial<ProposalDiffs> = {
      ...NO_DIFF,
      isShown: () => isShown,
      onDidChange: (listener: () => void) => {
        scrolled = listener;
        return { dispose: () => undefined };
      },
    };
    const runs = { ...NO_RUNS, all: [waiting.hosted] } as unknown as OpenRuns;
    const waits = new PendingDecisions(runs, diff as ProposalDiffs);
    scrolled();
    const before = waits.isSeen(waiting.request);
    isShown = true;
    scrolled();
    const after = waits.isSeen(waiting.request);
    await live.stop();
    assert.deepEqual({ before, after }, { before: false, after: true });
  });

  it("is none of a run that only can be read", () => {
    assert.equal(findPendingProposal({ id: "r" } as ComposedRun), undefined);
  });
});

describe("approving the next commands", () => {
  it("grants nothing the second time, when it was asked for twice", async () => {
    const { waiting, grants, live } = await waitingRun();
    const waits = new PendingDecisions(NO_RUNS as OpenRuns, NO_DIFF as ProposalDiffs);
    waits.markSeen(waiting, "card");
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

describe("the proposal that a decision is meant for", () => {
  it("is the active diff's, else the shown run's, else the only one that waits", async () => {
    const [one, two] = [await waitingRun(), await waitingRun()];
    const { hosted: first } = one.waiting;
    const { hosted: second } = two.waiting;
    const current = (shown: ComposedRun | undefined, active?: { run: string; step: number }) =>
      new PendingDecisions(
        {
          ...NO_RUNS,
          all: [first, second],
          shown,
          get: (id: string) => (id === "first" ? first : second),
        } as unknown as OpenRuns,
        { ...NO_DIFF, findActiveProposal: () => active } as ProposalDiffs,
      ).findCurrent()?.hosted;
    const found = {
      activeDiff: current(second, { run: "first", step: 1 }) === first,
      diffOfAnotherStep: current(second, { run: "first", step: 2 }) === second,
      shownRun: current(second) === second,
      only: current(undefined) === first,
    };
    await Promise.all([one.live.stop(), two.live.stop()]);
    assert.deepEqual(found, { activeDiff: true, diffOfAnotherStep: true, shownRun: true, only: true });
  });

  it("is none for a key in the first half second after it appeared or was shown", async () => {
    const { waiting, live } = await waitingRun();
    let changed: (hosted: ComposedRun) => void = () => undefined;
    const runs = {
      all: [waiting.hosted],
      shown: waiting.hosted,
      onChange: (listener: typeof changed) => {
        changed = listener;
        return { dispose: () => undefined };
      },
    };
    const waits = new PendingDecisions(runs as unknown as OpenRuns, NO_DIFF as ProposalDiffs);
    const isFor = () => waits.findProposalForKey() !== undefined;
    const unknown = isFor();
    changed(waiting.hosted);
    const atOnce = isFor();
    await setTimeout(510);
    changed(waiting.hosted);
    const later = isFor();
    waits.markShownByKey(waiting.request);
    const shownAgain = isFor();
    await live.stop();
    assert.deepEqual(
      { unknown, atOnce, later, shownAgain },
      { unknown: true, atOnce: false, later: true, shownAgain: false },
    );
  });

  it("is only the one of that step and that hash", async () => {
    const { waiting, live } = await waitingRun();
    const { hosted, request } = waiting;
    const waits = new PendingDecisions(NO_RUNS as OpenRuns, NO_DIFF as ProposalDiffs);
    const isFound = (step: number, hash: string) => waits.find(hosted, step, hash) !== undefined;
    const found = {
      both: isFound(request.step, request.hash),
      anotherStep: isFound(request.step + 1, request.hash),
      anotherHash: isFound(request.step, "another"),
      atStep: waits.requireStep(hosted, request.step).request === request,
    };
    assert.throws(() => waits.requireStep(hosted, request.step + 1), { message: /^Step 2 no longer / });
    await live.stop();
    assert.deepEqual(found, { both: true, anotherStep: false, anotherHash: false, atStep: true });
  });
});

describe("the proposal that an action names", () => {
  it("is read only with its run, its step and its hash", () => {
    const whole = { runId: "a", step: 2, hash: "b" };
    const given = [{ ...whole, more: 1 }, { ...whole, runId: 1 }, { ...whole, step: "2" }, { ...whole, hash: 3 }, "a"];
    assert.deepEqual(given.map(parseNamedProposal), [whole, undefined, undefined, undefined, undefined]);
  });
});

describe("rejecting a proposal", () => {
  for (const { reason, feedback } of [
    { reason: "  not this one ", feedback: /^The user says: not this one$/ },
    { reason: " ", feedback: /without giving a reason/ },
  ]) {
    it(`ends the grant and passes on the reason ${JSON.stringify(reason)}`, async () => {
      const { waiting, live, grants } = await waitingRun();
      const waits = new PendingDecisions(NO_RUNS as OpenRuns, NO_DIFF as ProposalDiffs);
      grants.grantNext(3);
      await waits.refuse(waiting, reason);
      await live.stop();
      const [decided] = waiting.hosted.run.state.recent;
      const outcome = decided?.outcome;
      assert.match(outcome?.status === "refused" ? outcome.feedback : "", feedback);
      assert.equal(grants.left, 0);
    });
  }
});

describe("showing all of a proposal", () => {
  const shownIn = async (preview: Preview, isShown: boolean) => {
    const { waiting, live } = await waitingRun();
    const revealed: number[] = [];
    const titles: string[] = [];
    const { request } = waiting;
    const shown = { ...waiting, request: { ...request, prepared: { ...request.prepared, preview } } };
    const diff = { ...NO_DIFF, reveal: async (_run: string, step: number) => void revealed.push(step) };
    const waits = new PendingDecisions(NO_RUNS as OpenRuns, diff as unknown as ProposalDiffs);
    const documents = { show: async (title: string) => titles.push(title) > 0 && isShown };
    const [result] = await Promise.allSettled([
      showWhole({ waits, diff, documents } as unknown as Parameters<typeof showWhole>[0], shown),
    ]);
    await live.stop();
    return { revealed, titles, status: result?.status, isSeen: waits.isSeen(shown.request) };
  };

  it("opens a change as its diff, which has to be looked at", async () => {
    const preview = { kind: "change", file: "a.ts", target: "/a.ts", after: "a" } as const;
    assert.deepEqual(await shownIn(preview, true), {
      revealed: [1],
      titles: [],
      status: "fulfilled",
      isSeen: false,
    });
  });

  it("opens anything else as a text, and counts it as seen once the editor has all of it", async () => {
    const preview = { kind: "details", text: "ls" } as const;
    const title = ["Step 1: read_note"];
    assert.deepEqual(
      { whole: await shownIn(preview, true), part: await shownIn(preview, false) },
      {
        whole: { revealed: [], titles: title, status: "fulfilled", isSeen: true },
        part: { revealed: [], titles: title, status: "rejected", isSeen: false },
      },
    );
  });
});
