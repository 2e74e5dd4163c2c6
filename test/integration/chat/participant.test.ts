import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import * as vscode from "vscode";
import { decideWhenAsked, until } from "../our-api.ts";
import { call, heard, newChat, play, processesWith, send } from "./chat.ts";

/** Longer than a proposal takes no key and no click. */
const SEEN_MS = 700;
const ALLOW = { allow: true } as const;
const FINISH = call("task_complete", { reason: "All done." });

const shell = (line: string) => call("execute_shell", { command_line: line });

describe("@autogpt in the chat", () => {
  beforeEach(newChat);

  it("starts a run, follows it and names it in the history of the chat", async () => {
    await play(shell("echo hello"), FINISH);
    const { run } = await heard();
    const answering = send("@autogpt Say hello");
    const handle = await run();
    await decideWhenAsked(handle, 1, ALLOW);
    await decideWhenAsked(handle, 2, ALLOW);
    const { metadata } = await answering;

    assert.deepEqual(
      { metadata, task: handle.state.task, mode: handle.state.mode, end: (await handle.end).reason },
      { metadata: { run: handle.id, end: "finished" }, task: "Say hello", mode: "ask", end: "finished" },
    );
  });

  it("takes the next message as the answer to the agent's question", async () => {
    await play(call("ask_user", { question: "Which file?" }), FINISH);
    const { run } = await heard();
    const { metadata: asked } = await send("@autogpt Ask me");
    const handle = await run();
    const answering = send("@autogpt The second one");
    await decideWhenAsked(handle, 2, ALLOW);
    const { metadata: answered } = await answering;

    const [step] = handle.state.recent;
    assert.deepEqual(
      { asked, answered, outcome: step?.outcome?.status === "done" && step.outcome.output },
      {
        asked: { run: handle.id, end: "question" },
        answered: { run: handle.id, end: "finished" },
        outcome: "The user's answer: The second one",
      },
    );
  });

  it("plans first with /plan, and carries the plan out with /resume", async () => {
    await play(FINISH, FINISH);
    const { run } = await heard();
    const { metadata: planned } = await send("@autogpt /plan Tidy up");
    const handle = await run();
    const mode = handle.state.mode;
    const resuming = send("@autogpt /resume");
    await decideWhenAsked(handle, 2, ALLOW);
    const { metadata: done } = await resuming;

    assert.deepEqual(
      { planned: planned?.end, mode, done: done?.end, now: handle.state.mode },
      { planned: "planned", mode: "plan", done: "finished", now: "ask" },
    );
  });

  it("stops the run and its programs when it's canceled", async () => {
    const mark = `sleep 297.${process.pid}`;
    await play(shell(`${mark} & ${mark}; wait`), FINISH);
    const { run } = await heard();
    const answering = send("@autogpt Sleep");
    const handle = await run();
    await decideWhenAsked(handle, 1, ALLOW);
    while (processesWith(mark).length < 2) await pause(20);
    const canceled = performance.now();
    await vscode.commands.executeCommand("workbench.action.chat.cancel");
    while (processesWith(mark).length > 0 && performance.now() - canceled < 15_000) await pause(5);
    const tookMs = performance.now() - canceled;
    await answering;

    assert.deepEqual(
      { left: processesWith(mark), end: (await handle.end).reason, isFast: tookMs < 10_000 },
      { left: [], end: "stopped", isFast: true },
      `It took ${tookMs} ms.`,
    );
  });

  it("has buttons that decide on nothing but their own proposal", async () => {
    await play(shell("echo one"), shell("echo two"), FINISH);
    const { run, events } = await heard();
    const answering = send("@autogpt Two steps");
    const handle = await run();
    await decideWhenAsked(handle, 1, ALLOW);
    await until(handle, ({ open }) => open?.step === 2 && open.stage === "replied");
    await pause(1_000);
    const decided = events.find(({ event }) => event.type === "decided")?.event;
    const hash = decided?.type === "decided" ? decided.hash : assert.fail();
    const old = { runId: handle.id, step: 1, hash };
    for (const given of [old, { ...old, step: 2 }, { ...old, runId: "20260101_000000_none_0000" }]) {
      await vscode.commands.executeCommand("autogpt.approve", given);
      // A second press of a button for the pending proposal would approve it.
      await pause(SEEN_MS);
    }
    const { open, totals } = handle.state;
    await handle.stop();
    await answering;

    assert.deepEqual(
      { step: open?.step, stage: open?.stage, steps: totals.steps },
      { step: 2, stage: "replied", steps: 1 },
    );
  });

  it("says why it can't start, and starts nothing", async () => {
    const { events } = await heard();
    const { metadata } = await send("@autogpt /plan");
    assert.deepEqual({ metadata, events }, { metadata: undefined, events: [] });
  });
});
