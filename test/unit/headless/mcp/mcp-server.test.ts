import assert from "node:assert/strict";
import { access, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client, type ElicitResult, type Progress } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { serverForSuite } from "../../../support/fake-model-server.ts";
import { calling } from "../../../support/headless.ts";
import { PROGRAM } from "../../../support/program.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const opened: Client[] = [];

// Before the folders are removed, in which their runs still write.
afterEach(async () => {
  await Promise.all(opened.splice(0).map((client) => client.close()));
});

const model = serverForSuite();
const tempFolder = tempFolders();

/** What the person answers to a question; absent: the client can't ask. */
type Person = (message: string) => ElicitResult;

interface Connection {
  readonly client: Client;
  readonly workspace: string;
  readonly transport: StdioClientTransport;
  readonly asked: string[];
}

const ERAS = { "2025-11-25": "legacy", "2026-07-28": "auto" } as const;

async function connected(
  mode: "legacy" | "auto",
  person: Person | undefined,
  ...argv: readonly string[]
): Promise<Connection> {
  const workspace = await tempFolder();
  const asked: string[] = [];
  const client = new Client(
    { name: "test", version: "1.0.0" },
    {
      versionNegotiation: { mode },
      capabilities: person ? { elicitation: { form: {} } } : {},
    },
  );
  if (person)
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return person(params.message);
    });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, "mcp", "--workspace", workspace, "--set", "model.contextWindow=16000", ...argv],
    env: {
      PATH: process.env.PATH ?? "",
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? "",
      XDG_DATA_HOME: await tempFolder(),
      OPENAI_API_KEY: "a-test-key",
      OPENAI_BASE_URL: model().baseUrl,
      AUTOGPT_MODEL_SMART: "fake",
    },
    stderr: "ignore",
  });
  await client.connect(transport);
  opened.push(client);
  return { client, workspace, transport, asked };
}

interface Status {
  readonly run: string;
  readonly status: string;
  readonly step: number;
  readonly text: string;
}

async function runTask(client: Client, onprogress?: (progress: Progress) => void): Promise<Status> {
  const { structuredContent, content } = await client.callTool(
    { name: "run_task", arguments: { task: "Write a note." } },
    onprogress ? { onprogress } : {},
  );
  assert.ok(structuredContent, JSON.stringify(content));
  return structuredContent as unknown as Status;
}

const WRITES = [
  calling("write_to_file", { filename: "note.txt", contents: "written\n" }),
  calling("task_complete", { reason: "All is done." }),
];

const approves: Person = () => ({ action: "accept", content: { decision: "approve" } });

async function fileIn(workspace: string): Promise<string | undefined> {
  return readFile(join(workspace, "note.txt"), "utf8").catch(() => undefined);
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

for (const [era, mode] of Object.entries(ERAS))
  describe(`the MCP server, of the protocol ${era}`, function () {
    this.timeout(60_000);

    it("does a task, with what the person who started it allows, and reports its steps", async () => {
      model().plan(...WRITES);
      const { client, workspace } = await connected(mode, undefined, "--yes-to", "write_to_file");
      const progress: string[] = [];
      const { status, text } = await runTask(client, ({ message }) => progress.push(message ?? ""));
      const file = await fileIn(workspace);
      assert.deepEqual(
        {
          ...{ status, text: text?.replace(/[\d,]+ \+ [\d,]+/, "N"), file },
          isReported: progress.includes("Step 1: Write note.txt"),
        },
        {
          status: "finished",
          text: "Finished. All is done.\nSpent: N tokens.",
          file: "written\n",
          isReported: true,
        },
        JSON.stringify(progress),
      );
    });

    it("puts a waiting proposal to the person, whole, and does what they approve", async () => {
      model().plan(...WRITES);
      const { client, workspace, asked } = await connected(mode, approves);
      const { status } = await runTask(client);
      assert.deepEqual(
        { status, file: await fileIn(workspace), cards: asked.map((card) => card.split("\n").slice(0, 3)) },
        {
          status: "finished",
          file: "written\n",
          cards: [["── Step 1 wants to run write_to_file ──", "New file note.txt:", "+written"]],
        },
      );
    });

    it("rejects what the person rejects, and gives the model their words", async () => {
      model().plan(...WRITES);
      const { client, workspace } = await connected(mode, () => ({
        action: "accept",
        content: { decision: "reject", feedback: "Not in this folder." },
      }));
      const { status } = await runTask(client);
      const sent = JSON.stringify(model().requests.at(-1)?.body);
      assert.deepEqual(
        { status, file: await fileIn(workspace), isSent: sent.includes("Not in this folder.") },
        { status: "stuck", file: undefined, isSent: true },
      );
    });

    it("rejects a proposal whose form was declined, dismissed or sent back without a decision", async () => {
      const answers: ElicitResult[] = [
        { action: "decline" },
        { action: "cancel" },
        { action: "accept", content: {} },
        { action: "accept", content: { feedback: "approve" } },
      ];
      const writes = answers.map(() => WRITES[0] ?? []);
      model().plan(...writes.flat(), ...WRITES.slice(1));
      const { client, workspace, asked } = await connected(mode, () => answers.shift() ?? approves(""));
      const { status } = await runTask(client);
      assert.deepEqual(
        { status, file: await fileIn(workspace), asked: asked.length },
        { status: "stuck", file: undefined, asked: 4 },
      );
    });

    it("rejects what needs approval if the client can't ask", async () => {
      model().plan(...WRITES);
      const { client, workspace } = await connected(mode, undefined);
      const { status } = await runTask(client);
      assert.deepEqual({ status, file: await fileIn(workspace) }, { status: "stuck", file: undefined });
    });

    it("stops the run and its programs when the request is canceled", async () => {
      skipWithout("files as POSIX has them");
      model().plan(calling("execute_shell", { command_line: "echo $$ > pid; exec sleep 300.75" }));
      const { client, workspace } = await connected(mode, undefined, "--yes-to", "execute_shell");
      const controller = new AbortController();
      const asked = client
        .callTool({ name: "run_task", arguments: { task: "Wait." } }, { signal: controller.signal })
        .catch(() => undefined);
      const pid = await pidIn(workspace);
      const canceledAt = performance.now();
      controller.abort();
      await asked;
      await gone(pid);
      assert.ok(performance.now() - canceledAt < 20_000);
    });
  });

/** The number of the program, once it runs. */
async function pidIn(workspace: string): Promise<number> {
  const path = join(workspace, "pid");
  while (!(await isThere(path)) || (await readFile(path, "utf8")) === "") await pause(20);
  return Number(await readFile(path, "utf8"));
}

async function gone(pid: number): Promise<void> {
  while (await isThere(`/proc/${pid}/stat`)) await pause(20);
}

describe("the MCP server", function () {
  this.timeout(60_000);

  it("offers three tools, of which none approves", async () => {
    const { client } = await connected("auto", undefined);
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties ?? {})]),
      [
        ["run_task", ["task"]],
        ["run_status", ["run"]],
        ["stop_run", ["run"]],
      ],
    );
  });

  it("lets a second client's request for the same run stop it, and reports its end", async () => {
    skipWithout("files as POSIX has them");
    model().plan(calling("execute_shell", { command_line: "echo $$ > pid; exec sleep 300.75" }));
    const { client, workspace } = await connected("auto", undefined, "--yes-to", "execute_shell");
    const progress: string[] = [];
    const running = runTask(client, ({ message }) => progress.push(message ?? ""));
    const pid = await pidIn(workspace);
    const second = await client.callTool({ name: "run_task", arguments: { task: "Another." } });
    const { run } = await latestRun(workspace);
    await client.callTool({ name: "stop_run", arguments: { run } });
    const { status } = await running;
    await gone(pid);
    const after = await client.callTool({ name: "run_status", arguments: { run } });
    assert.deepEqual(
      { status, second: second.content, after: (after.structuredContent as unknown as Status).status },
      {
        status: "stopped",
        second: [
          {
            type: "text",
            text: "A run is still at work. Wait for its end with run_status, or end it with stop_run.",
          },
        ],
        after: "stopped",
      },
    );
  });

  it("ends its runs and itself when its input is closed", async () => {
    skipWithout("files as POSIX has them");
    model().plan(calling("execute_shell", { command_line: "echo $$ > pid; exec sleep 300.75" }));
    const { client, workspace, transport } = await connected("legacy", undefined, "--yes-to", "execute_shell");
    const own = transport.pid ?? 0;
    runTask(client).catch(() => undefined);
    const pid = await pidIn(workspace);
    await client.close();
    await Promise.all([gone(pid), gone(own)]);
    const { last } = await latestRun(workspace);
    assert.equal(last, "over");
  });

  it("works in a copy if the person who started it says so", async () => {
    skipWithout("Linux");
    model().plan(...WRITES);
    const { client, workspace } = await connected("auto", undefined, "--isolated");
    await writeFile(join(workspace, "there.txt"), "here\n");
    const { status, text } = await runTask(client);
    assert.deepEqual(
      { status, file: await fileIn(workspace), isNamed: text.includes("note.txt") },
      { status: "finished", file: undefined, isNamed: true },
      text,
    );
  });

  it("says why a run can't begin", async () => {
    const { client } = await connected("auto", undefined, "--profile", "nowhere.yaml");
    const { content, isError } = await client.callTool({ name: "run_task", arguments: { task: "Try." } });
    assert.deepEqual(
      { isError, isSaid: JSON.stringify(content).includes("nowhere.yaml") },
      { isError: true, isSaid: true },
    );
  });
});

async function latestRun(workspace: string): Promise<{ readonly run: string; readonly last: string }> {
  const [run = ""] = await readdir(join(workspace, ".autogpt", "runs"));
  const log = await readFile(join(workspace, ".autogpt", "runs", run, "run.jsonl"), "utf8");
  return { run, last: JSON.parse(log.trimEnd().split("\n").at(-1) ?? "{}").type };
}
