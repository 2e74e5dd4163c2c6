import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { NO_THOUGHTS } from "../../../../src/core/reply/reply.ts";
import { RunUpdates } from "../../../../src/headless/acp/run-updates.ts";
import { createTextContent, describeStepEnd, getToolKind } from "../../../../src/headless/acp/tool-calls.ts";
import { COMMAND_ROWS } from "../../../../src/schema/command-rows.ts";
import type { AgentEventBody } from "../../../../src/schema/events.ts";
import { joinChunks } from "../../../support/acp-clients.ts";
import { sampleStart, sampleTail } from "../../../support/sample-run.ts";

describe("what an editor shows of a run", () => {
  it("has no picture of a thought's Markdown, even if its beginning comes in two pieces", () => {
    const sent: SessionUpdate[] = [];
    const updates = new RunUpdates({ id: "run", folder: "/shop" }, (update) => sent.push(update));
    for (const text of ["Hm! See !", "[x](https://evil.example/?q=1) and ![y](z)", "!", " Done."])
      updates.showDelta({ kind: "reasoning", text });
    assert.equal(
      joinChunks(sent, "agent_thought_chunk"),
      "Hm! See !\\[x](https://evil.example/?q=1) and !\\[y](z)! Done.",
    );
  });

  it("has the diff of a change that no one was asked about", async () => {
    const edit = { filename: "a.ts", edits: [{ search: "one", replace: "two" }] };
    const files = [{ file: "a.ts", change: "changed" as const, line: 3 }];
    const end = describeStepEnd(
      {
        ...{ step: 1, at: "", stage: "ended", recalled: [] },
        began: { name: "edit_file", args: edit },
        outcome: { status: "done", output: "Edited.", files },
      },
      [],
      "/shop",
    );
    assert.deepEqual(end, {
      status: "completed",
      content: [
        { type: "diff", path: "/shop/a.ts", oldText: "one", newText: "two" },
        { type: "content", content: { type: "text", text: "```\nEdited.\n```" } },
      ],
    });
  });

  it("has the end of a program's output while it runs", async () => {
    const sent: SessionUpdate[] = [];
    const updates = new RunUpdates({ id: "run", folder: "/shop" }, (update) => sent.push(update));
    updates.showOutput(2, "compiling\n");
    updates.showOutput(2, "linking\n");
    while (sent.length === 0) await pause(20);
    assert.deepEqual(sent, [
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "run/2",
        content: [{ type: "content", content: { type: "text", text: "```\ncompiling\nlinking\n\n```" } }],
      },
    ]);
  });

  it("has no picture in titles, plans and the words of a stored run", () => {
    const sent: SessionUpdate[] = [];
    const updates = new RunUpdates({ id: "run", folder: "/shop", agent: undefined }, (update) => sent.push(update));
    const picture = "![x](https://evil.example/?q=1)";
    const call = { name: "read_file", args: { filename: picture } };
    const bodies: readonly AgentEventBody[] = [
      { ...sampleStart(), task: `Look at ${picture}` },
      { type: "asked", step: 1, format: "text", tail: sampleTail() },
      {
        ...{ type: "replied", step: 1, format: "text", text: "", calls: [], finish: "stop", model: "m", costUsd: 0 },
        reply: { kind: "proposal", thoughts: { ...NO_THOUGHTS, plan: `- [ ] See ${picture}` }, call },
        usage: { input: 10, output: 1 },
      },
    ];
    updates.showPast(bodies.map((body, seq) => ({ seq, at: "2026-01-01T00:00:00.000Z", ...body })));
    const plans = sent.flatMap((update) => (update.sessionUpdate === "plan" ? update.entries : []));
    assert.deepEqual(
      {
        words: joinChunks(sent, "user_message_chunk"),
        titles: sent.flatMap((update) => (update.sessionUpdate === "tool_call" ? [update.title] : [])),
        plan: plans.map(({ content }) => content),
      },
      {
        words: "Look at !\\[x](https://evil.example/?q=1)",
        titles: ["Read !\\[x](https://evil.example/?q=1)"],
        plan: ["See !\\[x](https://evil.example/?q=1)"],
      },
    );
  });

  it("keeps a text with marks of code in its block", () => {
    const { content } = createTextContent("a\n````\nb") as { content: { text: string } };
    assert.equal(content.text, "`````\na\n````\nb\n`````");
  });

  it("shows each command by the kind of its call", () => {
    const kinds = Map.groupBy(Object.keys(COMMAND_ROWS), (name) => getToolKind({ name }));
    assert.deepEqual(
      {
        edit: kinds.get("edit"),
        move: kinds.get("move"),
        delete: kinds.get("delete"),
        fetch: kinds.get("fetch"),
        execute: kinds.get("execute"),
      },
      {
        edit: ["write_to_file", "append_to_file", "edit_file"],
        move: ["move_file"],
        delete: ["delete_file"],
        fetch: ["web_search", "browse_website", "get_text_summary", "get_hyperlinks", "call_api", "download_file"],
        execute: [
          ...["run_tests", "run_task", "execute_python_file", "execute_python_code", "run_cell"],
          ...["execute_shell", "execute_shell_popen"],
        ],
      },
    );
  });
});
