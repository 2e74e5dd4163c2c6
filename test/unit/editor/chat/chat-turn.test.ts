import assert from "node:assert/strict";
import {
  determineChatIntent,
  followUps,
  readChatTurn,
  waitWithCancellation,
} from "../../../../src/editor/chat/chat-turn.ts";
import type { HostedRun } from "../../../../src/editor/panel/hosted-runs.ts";

const last = { run: "r1", end: "question" } as const;

describe("a message to @autogpt", () => {
  it("starts, resumes or answers a run", () => {
    const open = { last };
    assert.deepEqual(
      {
        first: determineChatIntent({ prompt: "Fix it" }, false),
        plan: determineChatIntent({ prompt: "Fix it", command: "plan", ...open }, true),
        answer: determineChatIntent({ prompt: "The second", ...open }, true),
        afterTheEnd: determineChatIntent({ prompt: "And now?", ...open }, false),
        resume: determineChatIntent({ prompt: "", command: "resume", ...open }, false),
        resumeNewest: determineChatIntent({ prompt: "", command: "resume" }, false),
        empty: [
          determineChatIntent({ prompt: " " }, false),
          determineChatIntent({ prompt: "", command: "plan" }, false),
        ],
      },
      {
        first: { kind: "start", planFirst: false },
        plan: { kind: "start", planFirst: true },
        answer: { kind: "say", run: "r1" },
        afterTheEnd: { kind: "start", planFirst: false },
        resume: { kind: "resume", run: "r1" },
        resumeNewest: { kind: "resume" },
        empty: [{ kind: "noTask" }, { kind: "noTask" }],
      },
    );
  });
});

describe("an earlier answer in the chat", () => {
  it("is read back, unless another program wrote its data", () => {
    const others = [undefined, "x", {}, { run: 1, end: "over" }, { run: "r1", end: "boom" }];
    assert.deepEqual([last, ...others].map(readChatTurn), [last, ...others.map(() => undefined)]);
  });

  it("offers to resume a run that can continue, and to carry out a plan", () => {
    const ends = ["question", "paused", "planned", "finished", "over"] as const;
    const offered = ends.map((end) => followUps({ run: "r1", end }).map(({ command, label }) => [command, label]));
    assert.deepEqual(
      [...offered, followUps(undefined)],
      [[], [["resume", "Resume the run"]], [["resume", "Carry out plan"]], [], [["resume", "Resume the run"]], []],
    );
  });
});

describe("canceling in the chat", () => {
  /** A cancellation token that a test cancels. */
  function cancellation(isCancellationRequested: boolean) {
    const listeners = new Set<() => void>();
    return {
      listeners,
      token: {
        isCancellationRequested,
        onCancellationRequested: (listener: () => void) => {
          listeners.add(listener);
          return { dispose: () => listeners.delete(listener) };
        },
      },
    };
  }

  /** What was stopped, and who still listens at the end. */
  async function canceled(before: boolean): Promise<readonly number[]> {
    const { token, listeners } = cancellation(before);
    const over = Promise.withResolvers<void>();
    let stops = 0;
    const live = { stop: async () => over.resolve(void stops++) };
    const waiting = waitWithCancellation({ live } as unknown as HostedRun, token, () => over.promise);
    for (const listener of listeners) if (!before) listener();
    await waiting;
    return [stops, listeners.size];
  }

  it("stops the run, also when it came before the run", async () => {
    assert.deepEqual(
      [await canceled(false), await canceled(true)],
      [
        [1, 0],
        [1, 0],
      ],
    );
  });
});
