import assert from "node:assert/strict";
import type { Outcome } from "../../../../src/core/commands/outcome.ts";
import { NO_RUN, type RunState, type StepView } from "../../../../src/core/events/run-state.ts";
import { NO_THOUGHTS } from "../../../../src/core/reply/reply.ts";
import { createEpisodeMemory, recallQuery } from "../../../../src/memory/recall/episodes.ts";

function step(number: number, name: string, outcome: Outcome): StepView {
  return {
    step: number,
    at: "2026-01-02T03:04:05.000Z",
    stage: "ended",
    recalled: [],
    reply: {
      kind: "proposal",
      thoughts: { ...NO_THOUGHTS, text: `Thought ${number}.` },
      call: { name, args: { filename: "a.ts" } },
    },
    outcome,
  };
}

const RUN = { run: "run-1", task: "Fix the build" };
const DONE: Outcome = { status: "done", output: "It has 3 lines." };

describe("a step as a memory", () => {
  it("holds thought, command, outcome and what the user said together", () => {
    assert.deepEqual(createEpisodeMemory(step(2, "read_file", DONE), { ...RUN, said: ["Well done."] }), {
      kind: "episode",
      text: 'Thought 2.\nread_file {"filename":"a.ts"}\nIt worked: It has 3 lines.\nThe user said: Well done.',
      source: 'step 2 of "Fix the build"',
      run: "run-1",
      step: 2,
      at: "2026-01-02T03:04:05.000Z",
    });
  });

  it("names where what was found came from", () => {
    const outcome: Outcome = { ...DONE, source: { kind: "web", name: "https://example.com" } };
    assert.equal(
      createEpisodeMemory(step(2, "browse_website", outcome), RUN)?.source,
      'step 2 of "Fix the build" (from web https://example.com)',
    );
  });

  it("keeps the head and the tail of a long outcome", () => {
    const output = `begin ${"x".repeat(50_000)} end`;
    const text = createEpisodeMemory(step(2, "read_file", { status: "done", output }), RUN)?.text ?? "";
    assert.deepEqual([text.length < 2_000, text.includes("begin"), text.endsWith("end")], [true, true, true]);
  });

  it("is none where nothing can be learnt", () => {
    const unread: StepView = { ...step(1, "x", DONE), reply: { kind: "unreadable", problem: "?" } };
    assert.deepEqual(
      [unread, step(1, "do_nothing", DONE), step(1, "memory_search", DONE)].map((one) => createEpisodeMemory(one, RUN)),
      [undefined, undefined, undefined],
    );
  });
});

describe("what memories are asked for", () => {
  const started: RunState = { ...NO_RUN, task: "Fix the build" };

  it("is the task at the start", () => {
    assert.equal(recallQuery(started, 9), "Fix the build");
  });

  it("is the last messages later, the newest first", () => {
    const recent = [1, 2, 3].map((number) => step(number, "read_file", DONE));
    assert.equal(
      recallQuery({ ...started, recent, queued: ["Look at b.ts."] }, 4),
      'Look at b.ts.\nIt has 3 lines.\nThought 3. read_file {"filename":"a.ts"}\nIt has 3 lines.',
    );
  });

  it("is never long", () => {
    const recent = [1, 2, 3, 4, 5].map((number) =>
      step(number, "read_file", { status: "done", output: "word ".repeat(10_000) }),
    );
    assert.equal(recallQuery({ ...started, recent }, 9).length <= 1_210, true);
  });
});
