import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { methods, type RequestPermissionRequest } from "@agentclientprotocol/sdk";
import type { AgentEvent } from "../../../../src/schema/events.ts";
import {
  type Choosing,
  type Editor,
  joinChunks,
  openSession,
  sendPrompt,
  startEditor,
} from "../../../support/acp-clients.ts";
import { serverForSuite } from "../../../support/fake-model-server.ts";
import { calling } from "../../../support/headless.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const opened: Editor[] = [];

// Before the folders are removed, in which their runs still write.
afterEach(async () => {
  await Promise.all(opened.splice(0).map((editor) => editor.close()));
});

const model = serverForSuite();
const tempFolder = tempFolders();

async function edited(choose?: Choosing, ...argv: readonly string[]) {
  const workspace = await tempFolder();
  await writeFile(join(workspace, "note.txt"), "old\n");
  const place = { workspace, data: await tempFolder(), baseUrl: model().baseUrl };
  const editor = await startEditor(place, choose, ...argv);
  opened.push(editor);
  return { editor, workspace, place };
}

const WRITE = calling("write_to_file", { filename: "note.txt", contents: "new\n" });
const FINISH = calling("task_complete", { reason: "All is done." });

async function noteIn(workspace: string): Promise<string> {
  return readFile(join(workspace, "note.txt"), "utf8");
}

function describeRequest({ toolCall, options }: RequestPermissionRequest) {
  return {
    title: toolCall.title,
    kind: toolCall.kind,
    content: toolCall.content,
    options: options.map(({ name }) => name),
  };
}

/** The program's number, once it runs. */
async function pidIn(workspace: string): Promise<number> {
  for (;;) {
    const text = await readFile(join(workspace, "pid"), "utf8").catch(() => "");
    if (text.endsWith("\n")) return Number(text);
    await pause(20);
  }
}

async function waitUntilGone(pid: number): Promise<void> {
  while (existsSync(`/proc/${pid}/stat`)) await pause(20);
}

async function logOf(workspace: string): Promise<AgentEvent[]> {
  const [run = ""] = (await readdir(join(workspace, ".autogpt", "runs"))).filter((name) => /^\d/.test(name));
  const log = await readFile(join(workspace, ".autogpt", "runs", run, "run.jsonl"), "utf8");
  return log
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

function callsOf({ updates }: Editor): unknown[] {
  return updates.flatMap((update) =>
    update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update"
      ? [`${update.title ?? "-"}: ${update.status}`]
      : [],
  );
}

function lastMessage(): string {
  return JSON.stringify(model().requests.at(-1)?.body.messages);
}

const SLEEP = calling("execute_shell", { command_line: "echo $$ > pid; exec sleep 300.25" });

describe("autogpt acp", function () {
  this.timeout(60_000);

  it("does a task, puts its change as a diff to the person, and says at the end what was done", async () => {
    model().plan(WRITE, FINISH);
    const { editor, workspace } = await edited();
    const id = await openSession(editor, workspace);
    const reason = await sendPrompt(editor, id, "Write a note.");
    assert.deepEqual(
      {
        reason,
        file: await noteIn(workspace),
        asked: editor.asked.map(describeRequest),
        said: joinChunks(editor.updates, "agent_message_chunk"),
        thought: joinChunks(editor.updates, "agent_thought_chunk"),
        calls: callsOf(editor),
      },
      {
        reason: "end_turn",
        file: "new\n",
        asked: [
          {
            title: "Write note.txt",
            kind: "edit",
            content: [{ type: "diff", path: join(workspace, "note.txt"), oldText: "old\n", newText: "new\n" }],
            options: ["Approve", "Reject", "Reject and comment"],
          },
        ],
        said: "All is done.",
        thought: "I shall write_to_file.\n\nI shall task_complete.",
        calls: ["Write note.txt: pending", "-: in_progress", "Wrote note.txt: completed"],
      },
    );
  });

  it("rejects with the next message, if the person wants to comment, and continues", async () => {
    model().plan(WRITE, FINISH);
    const { editor, workspace } = await edited(() => "comment");
    const id = await openSession(editor, workspace);
    const first = await sendPrompt(editor, id, "Write a note.");
    const second = await sendPrompt(editor, id, "Keep the old one.");
    assert.deepEqual(
      {
        first,
        second,
        file: await noteIn(workspace),
        isHeard: lastMessage().includes("The user says: Keep the old one."),
      },
      { first: "end_turn", second: "end_turn", file: "old\n", isHeard: true },
    );
  });

  it("rejects a proposal that waits with a message that comes meanwhile", async () => {
    model().plan(WRITE, FINISH);
    const shown = Promise.withResolvers<void>();
    const { editor, workspace } = await edited(() => {
      shown.resolve();
      return new Promise(() => undefined);
    });
    const id = await openSession(editor, workspace);
    const first = sendPrompt(editor, id, "Write a note.");
    await shown.promise;
    const second = await sendPrompt(editor, id, "Not now.");
    assert.deepEqual(
      {
        first: await first,
        second,
        file: await noteIn(workspace),
        isHeard: lastMessage().includes("The user says: Not now."),
      },
      { first: "end_turn", second: "end_turn", file: "old\n", isHeard: true },
    );
  });

  it("ends the turn with the agent's question, and gives it the next message as the answer", async () => {
    model().plan(calling("ask_user", { question: "Which color?" }), FINISH);
    const { editor, workspace } = await edited();
    const id = await openSession(editor, workspace);
    await sendPrompt(editor, id, "Paint.");
    const question = joinChunks(editor.updates, "agent_message_chunk");
    await sendPrompt(editor, id, "Blue.");
    assert.deepEqual(
      { question, isHeard: lastMessage().includes("Blue.") },
      { question: "Which color?", isHeard: true },
    );
  });

  it("stops the command and its programs when the person cancels, and continues with the next message", async () => {
    skipWithout("files as POSIX has them");
    model().plan(SLEEP, FINISH);
    const { editor, workspace } = await edited();
    const id = await openSession(editor, workspace);
    const first = sendPrompt(editor, id, "Wait.");
    const pid = await pidIn(workspace);
    await editor.connection.agent.notify(methods.agent.session.cancel, { sessionId: id });
    await waitUntilGone(pid);
    const second = await sendPrompt(editor, id, "That's enough.");
    assert.deepEqual(
      { first: await first, second, isHeard: lastMessage().includes("That's enough.") },
      { first: "cancelled", second: "end_turn", isHeard: true },
    );
  });

  it("answers lines that are no messages, and works on", async () => {
    model().plan(WRITE, FINISH);
    const { editor, workspace } = await edited();
    editor.child.stdin.write('garbage\n[1]\n{"jsonrpc":"2.0","id":7,"method":"session/fly"}\n\n');
    const id = await openSession(editor, workspace);
    const missing = await sendPrompt(editor, "20260102_030405_none_0a1b", "Go.").catch((error: Error) => error.message);
    const reason = await sendPrompt(editor, id, "Write a note.");
    assert.deepEqual(
      { reason, missing },
      { reason: "end_turn", missing: "No session with the id 20260102_030405_none_0a1b is open here. Load it first." },
    );
  });

  it("stops its runs and says why, when a message is too large", async () => {
    skipWithout("files as POSIX has them");
    model().plan(SLEEP);
    const { editor, workspace } = await edited();
    const id = await openSession(editor, workspace);
    void sendPrompt(editor, id, "Wait.").catch(() => undefined);
    const pid = await pidIn(workspace);
    editor.child.stdin.on("error", () => undefined).write(`${"x".repeat(33 * 1024 ** 2)}\n`);
    await waitUntilGone(pid);
    assert.deepEqual(
      { said: (await editor.said).split("\n")[0], last: (await logOf(workspace)).at(-1)?.type },
      {
        said: "The editor sent a message of more than 32 MB, so autogpt acp ended. Its runs can be loaded again: send less at once.",
        last: "over",
      },
    );
  });

  it("stops its runs and itself when its input is closed, and a second process shows and continues them", async () => {
    skipWithout("files as POSIX has them");
    model().plan(SLEEP, WRITE, FINISH);
    const { editor, workspace, place } = await edited();
    const id = await openSession(editor, workspace);
    void sendPrompt(editor, id, "Wait.").catch(() => undefined);
    const pid = await pidIn(workspace);
    const code = await editor.close();
    await waitUntilGone(pid);
    const line = "echo $$ > pid; exec sleep 300.25";
    const ended = (await logOf(workspace)).at(-1)?.type;
    const second = await startEditor(place);
    opened.push(second);
    const { sessions } = await second.connection.agent.request(methods.agent.session.list, { cwd: workspace });
    await second.connection.agent.request(methods.agent.session.load, {
      sessionId: id,
      cwd: workspace,
      mcpServers: [],
    });
    const past = [...second.updates];
    const reason = await sendPrompt(second, id, "Write a note instead.");
    assert.deepEqual(
      {
        ...{ code, ended, reason, file: await noteIn(workspace) },
        listed: sessions.map(({ sessionId, title }) => [sessionId === id, title]),
        words: joinChunks(past, "user_message_chunk"),
        isShown: callsOf({ ...second, updates: past }),
        isOneRun: (await logOf(workspace)).filter(({ type }) => type === "started").length,
      },
      {
        ...{ code: 0, ended: "over", reason: "end_turn", file: "new\n" },
        listed: [[true, "Wait."]],
        words: "Wait.",
        isShown: [`${line}: pending`, "-: in_progress", `${line} — Stopped by you: failed`],
        isOneRun: 1,
      },
    );
  });

  it("refuses a run on which another process works", async () => {
    skipWithout("files as POSIX has them");
    model().plan(SLEEP);
    const { editor, workspace, place } = await edited();
    const id = await openSession(editor, workspace);
    void sendPrompt(editor, id, "Wait.").catch(() => undefined);
    await pidIn(workspace);
    const second = await startEditor(place);
    opened.push(second);
    const given = { sessionId: id, cwd: workspace, mcpServers: [] };
    const problem = await second.connection.agent
      .request(methods.agent.session.load, given)
      .catch((error: Error) => error.message);
    assert.equal(problem, `This run is in progress on the command line (process ${editor.child.pid}).`);
  });

  it("plans first, and carries the plan out once the person agrees", async () => {
    const plan = calling("update_plan", { items: [{ text: "Write", status: "pending" }] });
    model().plan(plan, calling("task_complete", { reason: "The plan is made." }), WRITE, FINISH);
    const { editor, workspace } = await edited(({ options }) => options[0]?.optionId);
    const id = await openSession(editor, workspace, "plan");
    const reason = await sendPrompt(editor, id, "Write a note.");
    assert.deepEqual(
      {
        ...{ reason, file: await noteIn(workspace) },
        asked: editor.asked.map(({ toolCall }) => toolCall.title),
        plans: editor.updates
          .flatMap((update) => (update.sessionUpdate === "plan" ? [update.entries] : []))
          .slice(0, 1),
        modes: editor.updates.flatMap((update) =>
          update.sessionUpdate === "current_mode_update" ? [update.currentModeId] : [],
        ),
      },
      {
        ...{ reason: "end_turn", file: "new\n" },
        asked: ["Carry out this plan?", "Write note.txt"],
        plans: [[{ content: "Write", priority: "medium", status: "pending" }]],
        modes: ["ask"],
      },
    );
  });

  it("works in a copy, and brings into the workspace what the person accepts", async () => {
    skipWithout("Linux");
    model().plan(WRITE, FINISH);
    const { editor, workspace } = await edited(({ options }) => options[0]?.optionId);
    const id = await openSession(editor, workspace, "isolated");
    const reason = await sendPrompt(editor, id, "Write a note.");
    assert.deepEqual(
      { reason, file: await noteIn(workspace), asked: editor.asked.map(describeRequest) },
      {
        reason: "end_turn",
        file: "new\n",
        asked: [
          {
            title: "Bring this change into the workspace?",
            kind: "edit",
            content: [{ type: "diff", path: join(workspace, "note.txt"), oldText: "old\n", newText: "new\n" }],
            options: ["Accept all", "Leave them"],
          },
        ],
      },
    );
  });

  it("continues a finished run with the next message, after its session was closed and resumed, too", async () => {
    model().plan(FINISH, WRITE, FINISH);
    const { editor, workspace } = await edited();
    const id = await openSession(editor, workspace);
    await sendPrompt(editor, id, "Look around.");
    const { agent } = editor.connection;
    await agent.request(methods.agent.session.close, { sessionId: id });
    await agent.request(methods.agent.session.resume, { sessionId: id, cwd: workspace });
    const reason = await sendPrompt(editor, id, "Now write a note.");
    const started = (await logOf(workspace)).filter(({ type }) => type === "started").length;
    assert.deepEqual(
      { reason, started, file: await noteIn(workspace) },
      { reason: "end_turn", started: 1, file: "new\n" },
    );
  });

  it("shows a sub-agent's steps with its name, and puts its proposals to the person", async () => {
    const start = calling("start_agent", { name: "Writer", task: "Write.", commands: ["write_to_file"] });
    model().plan(start, WRITE, FINISH, FINISH);
    const { editor, workspace } = await edited();
    const id = await openSession(editor, workspace);
    const reason = await sendPrompt(editor, id, "Have a note written.");
    assert.deepEqual(
      {
        ...{ reason, file: await noteIn(workspace) },
        asked: editor.asked.map(({ toolCall }) => toolCall.title),
        said: joinChunks(editor.updates, "agent_message_chunk"),
        calls: callsOf(editor),
      },
      {
        ...{ reason: "end_turn", file: "new\n" },
        asked: ["Writer: Write note.txt"],
        said: "All is done.",
        calls: [
          "Start agent Writer: pending",
          "-: in_progress",
          "Writer: Write note.txt: pending",
          "-: in_progress",
          "Writer: Wrote note.txt: completed",
          "Started agent Writer — Answered: All is done.: completed",
        ],
      },
    );
  });

  it("lists the repository's commands, and carries out one that a message begins with", async () => {
    model().plan(FINISH);
    const { editor, workspace } = await edited();
    await mkdir(join(workspace, ".autogpt", "commands"), { recursive: true });
    const command = "---\ndescription: Tidies a file\nargument-hint: FILE\n---\nRemove what nothing uses from $1.\n";
    await writeFile(join(workspace, ".autogpt", "commands", "tidy.md"), command);
    const id = await openSession(editor, workspace);
    await sendPrompt(editor, id, "/tidy note.txt");
    const listed = editor.updates.flatMap((update) =>
      update.sessionUpdate === "available_commands_update" ? update.availableCommands : [],
    );
    assert.deepEqual(
      { listed, isHeard: lastMessage().includes("Remove what nothing uses from note.txt.") },
      { listed: [{ name: "tidy", description: "Tidies a file", input: { hint: "FILE" } }], isHeard: true },
    );
  });

  it("rejects what is answered with an option that wasn't offered", async () => {
    model().plan(WRITE, FINISH);
    const { editor, workspace } = await edited(() => "allow_everything");
    const id = await openSession(editor, workspace);
    await sendPrompt(editor, id, "Write a note.");
    assert.equal(await noteIn(workspace), "old\n");
  });

  it("stops the run when the person dismisses a question", async () => {
    model().plan(WRITE, FINISH);
    const { editor, workspace } = await edited(() => undefined);
    const id = await openSession(editor, workspace);
    const reason = await sendPrompt(editor, id, "Write a note.");
    assert.deepEqual({ reason, file: await noteIn(workspace) }, { reason: "cancelled", file: "old\n" });
  });

  it("asks a question again after the editor was closed, and takes the next message as its answer", async () => {
    model().plan(calling("ask_user", { question: "Which color?" }), FINISH);
    const { editor, workspace, place } = await edited();
    const id = await openSession(editor, workspace);
    await sendPrompt(editor, id, "Paint.");
    await editor.close();
    const second = await startEditor(place);
    opened.push(second);
    await second.connection.agent.request(methods.agent.session.load, {
      sessionId: id,
      cwd: workspace,
      mcpServers: [],
    });
    const shown = joinChunks(second.updates, "agent_message_chunk");
    const reason = await sendPrompt(second, id, "Blue.");
    assert.deepEqual(
      { shown, reason, isHeard: lastMessage().includes("Blue.") },
      { shown: "Which color?", reason: "end_turn", isHeard: true },
    );
  });

  it("asks for a higher limit before it continues a run that has used one up", async () => {
    model().plan(WRITE, FINISH);
    const { editor, workspace } = await edited(({ options }) => options[0]?.optionId, "--set", "run.maxSteps=1");
    const id = await openSession(editor, workspace);
    const first = await sendPrompt(editor, id, "Write a note.");
    const second = await sendPrompt(editor, id, "Go on.");
    assert.deepEqual(
      { first, second, asked: editor.asked.map(({ toolCall }) => toolCall.title) },
      {
        first: "max_turn_requests",
        second: "end_turn",
        asked: ["Write note.txt", "The run has used up its limit of 1 step. Raise it to 2 steps?"],
      },
    );
  });

  it("serves no folder outside of the one it was started for", async () => {
    const { editor, workspace } = await edited(undefined, "--workspace", await tempFolder());
    const problem = await openSession(editor, workspace).catch((error: Error) => error.message);
    assert.match(problem, /^autogpt acp was started for .+ Open a folder in it, or start it without --workspace\.$/);
  });

  it("names the variable that has no key", async () => {
    const workspace = await tempFolder();
    const editor = await startEditor({
      workspace,
      data: await tempFolder(),
      baseUrl: "https://api.openai.com/v1",
      key: "",
    });
    opened.push(editor);
    const id = await openSession(editor, workspace);
    const problem = await sendPrompt(editor, id, "Go.").catch(({ code, message }) => ({ code, message }));
    assert.deepEqual(problem, {
      code: -32_000,
      message: "No model is set up yet. Put an API key into OPENAI_API_KEY, or name another server with --base-url.",
    });
  });
});
