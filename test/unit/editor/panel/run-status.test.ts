import assert from "node:assert/strict";
import { PAUSED_BY_USER } from "../../../../src/core/base/async.ts";
import { applyEvent, NO_RUN } from "../../../../src/core/events/run-state.ts";
import { computeRunsStatus, type ObservedRun, openRuns } from "../../../../src/editor/panel/run-status.ts";
import { sampleStart } from "../../../support/sample-run.ts";

interface Staged {
  readonly waits?: boolean;
  readonly hindrance?: string;
  readonly paused?: string;
}

/** A run that goes on, as far as the status bar looks at it. */
function runOf(task: string, { waits = false, hindrance, paused }: Staged = {}): ObservedRun {
  const started = applyEvent(NO_RUN, { seq: 0, at: "2026-01-02T09:00:00Z", ...sampleStart({ task }) });
  const state = paused === undefined ? started : { ...started, paused };
  const waiting = waits ? ({ kind: "question", text: "Which?" } as const) : undefined;
  return { id: task, run: { state }, live: { running: true, pending: waiting, blockedReason: hindrance } };
}

const brief = (all: readonly ObservedRun[], shown?: ObservedRun) => {
  const status = computeRunsStatus(all, shown);
  return status && { opens: status.run, icon: status.icon, text: status.text, waiting: status.waiting };
};

describe("the status of the open runs", () => {
  it("counts the runs that need the user, and a click opens one that is not shown", () => {
    const [one, two] = [runOf("one", { waits: true }), runOf("two", { waits: true })];
    assert.deepEqual(brief([one, runOf("busy"), two], one), {
      opens: "two",
      icon: "bell-dot",
      text: "2 runs need you",
      waiting: 2,
    });
  });

  it("lists what each waiting run waits for", () => {
    const status = computeRunsStatus(
      [runOf("one", { waits: true }), runOf("two", { paused: "No answer." })],
      undefined,
    );
    assert.equal(status?.tooltip, "one: Question, step 0, $0.00\ntwo: Paused, step 0, $0.00");
  });

  it("names the runs of other windows that wait, unless one here does, and counts them all", () => {
    const elsewhere = [{ run: "far", text: "Deploy: run this command? npm run deploy" }];
    const [idle, busy] = [
      computeRunsStatus([], undefined, elsewhere),
      computeRunsStatus([runOf("one", { waits: true })], undefined, elsewhere),
    ];
    assert.deepEqual(
      { idle: [idle?.run, idle?.text, idle?.tooltip, idle?.waiting], busy: [busy?.run, busy?.waiting] },
      {
        idle: ["far", "1 run needs you in another window", "Deploy: run this command? npm run deploy", 1],
        busy: ["one", 2],
      },
    );
  });

  it("names the step and cost of a single one that waits", () => {
    assert.deepEqual(brief([runOf("busy"), runOf("one", { waits: true })]), {
      opens: "one",
      icon: "bell-dot",
      text: "Question · step 0 · $0.00",
      waiting: 1,
    });
  });

  it("counts trouble as waiting, and a pause of the user's own not", () => {
    const runs = [
      runOf("tea", { paused: PAUSED_BY_USER }),
      runOf("down", { paused: "Nothing answers." }),
      runOf("full", { hindrance: "The disk is full." }),
    ];
    assert.deepEqual(brief(runs), {
      opens: "full",
      icon: "warning",
      text: "2 runs need you",
      waiting: 2,
    });
  });

  it("is that of a working run when none waits, else of the shown one, else nothing", () => {
    const shown = runOf("shown", { paused: PAUSED_BY_USER });
    assert.deepEqual(
      [brief([shown, runOf("busy")], shown)?.text, brief([], shown)?.text, brief([])],
      ["Paused · step 0 · $0.00", "Paused · step 0 · $0.00", undefined],
    );
  });
});

describe("the open runs for the switcher", () => {
  it("begin with those that need attention and those at work, under the user's names for them", () => {
    const runs = [
      runOf("idle", { paused: PAUSED_BY_USER }),
      { ...runOf("busy"), title: "The parser" },
      runOf("asks", { waits: true }),
      { id: "old", run: runOf("old").run },
    ];
    assert.deepEqual(
      openRuns(runs).map(({ title, state, attention }) => `${title}: ${state}${attention ? "!" : ""}`),
      ["asks: question!", "idle: paused", "The parser: thinking", "old: interrupted"],
    );
  });

  it("are the first twelve", () =>
    assert.equal(openRuns(Array.from({ length: 20 }, (_, at) => runOf(`run ${at}`))).length, 12));
});
