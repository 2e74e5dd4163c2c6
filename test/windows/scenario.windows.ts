import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, open, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { isProcessAlive } from "../../src/node/processes/process-tree.ts";
import type { AgentEvent } from "../../src/schema/events.ts";
import { serverForSuite } from "../support/fake-model-server.ts";
import { calling } from "../support/headless.ts";
import { npmServer } from "../support/mcp-servers.ts";
import { PROGRAM } from "../support/program.ts";
import { tempFolders } from "../support/temp-folders.ts";

/** A step of the scenario: its call, how it ends if not well, and text that its outcome contains. */
interface Step {
  readonly name: string;
  readonly args: object;
  readonly fails?: true;
  readonly says?: RegExp;
}

const FILES: Readonly<Record<string, string>> = {
  "crlf.txt": "one\r\ntwo\r\n",
  "held.txt": "one\r\n",
  "wait.mjs": "setInterval(() => undefined, 1_000);\n",
  "print.mjs": 'console.log("café ✓");\n',
  "stay.mjs": `import { writeFileSync } from "node:fs";
writeFileSync("left.txt", String(process.pid));
setInterval(() => undefined, 1_000);
`,
  "meet.mjs": `import { existsSync } from "node:fs";
setInterval(() => existsSync("left.txt") && process.exit(0), 100);
`,
};

const write = (filename: string, text = "one\ntwo\n"): Step => ({ name: "write_to_file", args: { filename, text } });
const refuse = (filename: string, says: RegExp): Step => ({ ...write(filename), fails: true, says });
const read = (filename: string, says: RegExp): Step => ({ name: "read_file", args: { filename }, says });
const edit = (filename: string, search: string, replace: string): Step => ({
  name: "edit_file",
  args: { filename, edits: [{ search, replace }] },
});
const move = (source: string, destination: string): Step => ({
  name: "move_file",
  args: { source, destination },
  says: /Moved/,
});
const shell = (command_line: string, says: RegExp): Step => ({ name: "execute_shell", args: { command_line }, says });

/** The scenario, for a workspace on drive C:. */
function listSteps(workspace: string): readonly Step[] {
  return [
    write("src/a.txt"),
    write("src\\b.txt"),
    read("SRC/A.TXT", /^src\/a\.txt, 2 lines/),
    read(join(workspace, "src", "a.txt"), /^src\/a\.txt, 2 lines/),
    read(`${workspace.replaceAll("\\", "/").toLowerCase()}/src/a.txt`, /^src\/a\.txt, 2 lines/),
    read("src/a.txt:2-2", /^src\/a\.txt, line 2 of 2\ntwo/),
    edit("crlf.txt", "one\ntwo", "one\n2"),
    { name: "create_folder", args: { directory: "deep/er" } },
    { name: "list_files", args: { directory: "." }, says: /^deep\/er\/$/m },
    { name: "list_files", args: { directory: ".", pattern: "**/*.txt" }, says: /^src\/b\.txt$/m },
    { name: "search_files", args: { query: "two" }, says: /^src\/a\.txt$/m },
    move("src/a.txt", "src/A.txt"),
    move("src/b.txt", "deep/b.txt"),
    refuse("CON", /device/),
    refuse("aux.txt", /device/),
    refuse("sub/NUL.md", /device/),
    refuse("trail.", /dot or a space/),
    refuse("trail ", /dot or a space/),
    refuse("a.txt:stream", /hidden stream/),
    refuse("C:x.txt", /relative to a drive/),
    refuse("\\\\server\\share\\x.txt", /another machine/),
    refuse("\\\\?\\C:\\x.txt", /another machine or a device/),
    refuse("what?.txt", /\?/),
    refuse("Q:\\x.txt", /outside the workspace/),
    write("日本語/ファイル.txt", "漢字\n"),
    read("日本語/ファイル.txt", /漢字/),
    edit("held.txt", "one", "1"),
    shell("exit 3", /^Exit code 3/),
    shell("node -p process.platform", /^Exit code 0.*\nwin32/),
    shell("node print.mjs", /café ✓/),
    shell(
      "Start-Process -NoNewWindow node stay.mjs; node meet.mjs",
      /1 process running in the background; it was ended/,
    ),
    { name: "execute_python_code", args: { code: 'print("café ✓")' }, says: /café ✓/ },
    { name: "execute_shell_popen", args: { command_line: "node wait.mjs" }, says: /Started process 1/ },
    { name: "list_processes", args: {}, says: /node wait\.mjs/ },
    { name: "stop_process", args: { process: 1 } },
    { name: "everything__echo", args: { message: "hello" }, says: /hello/ },
    { name: "memory_add", args: { text: "The port of the shop is 8123." } },
    { name: "memory_search", args: { query: "port of the shop" }, says: /8123/ },
    { name: "delete_file", args: { filename: "deep/b.txt" } },
    { name: "task_complete", args: { reason: "All steps are done." } },
  ];
}

interface Ran {
  readonly code: number | null;
  readonly events: readonly AgentEvent[];
}

const TASK = ["--task", "Work.", "--model", "m", "--json", "--set", "model.contextWindow=128000"];

describe("the command line on Windows", function () {
  this.timeout(180_000);
  const server = serverForSuite();
  const tempFolder = tempFolders();

  /** Makes a workspace, with settings and the user's data beside it. */
  async function plant(): Promise<string> {
    const folder = await tempFolder();
    const workspace = join(folder, "shop");
    await mkdir(workspace);
    for (const [name, text] of Object.entries(FILES)) await writeFile(join(workspace, name), text);
    const everything = { ...npmServer("everything", "stdio"), command: "node" };
    await writeFile(join(folder, "settings.json"), JSON.stringify({ "autogpt.mcp.servers": { everything } }));
    return workspace;
  }

  function start(workspace: string, argv: readonly string[]): ChildProcess {
    const folder = dirname(workspace);
    // Windows names it so, where Wine has capitals.
    const searchPath = process.env.PATH;
    const env = {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => name.toUpperCase() !== "PATH")),
      Path: searchPath,
      LOCALAPPDATA: join(folder, "data"),
      OPENAI_API_KEY: "a-test-key",
      OPENAI_BASE_URL: server().baseUrl,
    };
    const common = ["--workspace", workspace, "--settings", join(folder, "settings.json")];
    return spawn(process.execPath, [PROGRAM, ...argv, ...common], { env, stdio: ["ignore", "pipe", "inherit"] });
  }

  async function run(
    workspace: string,
    argv: readonly string[],
    listen: (event: AgentEvent, child: ChildProcess) => void = () => undefined,
  ): Promise<Ran> {
    const child = start(workspace, argv);
    const exit = once(child, "exit");
    const events: AgentEvent[] = [];
    for await (const line of createInterface({ input: child.stdout ?? Readable.from([]) })) {
      if (!line.startsWith("{")) continue;
      const event: AgentEvent = JSON.parse(line);
      events.push(event);
      listen(event, child);
    }
    const [code] = await exit;
    return { code, events };
  }

  it("does forty steps as it should, and undoes them to the same bytes", async () => {
    const workspace = await plant();
    const before = await readTree(workspace);
    const steps = listSteps(workspace);
    const heldStep = steps.findIndex(({ args }) => JSON.stringify(args).includes("held.txt")) + 1;
    const held = await open(join(workspace, "held.txt"));
    server().plan(...steps.map(({ name, args }) => calling(name, args)));
    await run(workspace, ["plugins", "allow", "everything"]);
    const names = [...new Set(steps.map(({ name }) => name))].join(",");
    const { code, events } = await run(workspace, [...TASK, "--yes-to", names], (event) => {
      if (event.type === "began" && event.step === heldStep) setTimeout(() => void held.close(), 300);
    });
    assert.deepEqual(
      [describeOutcomes(events, steps), code],
      [steps.map(({ name }, at) => `${at + 1} ${name}: as it should be`), 0],
    );
    const leftover = Number(await readFile(join(workspace, "left.txt"), "utf8"));
    const [started] = events;
    const id = started?.type === "started" ? started.id : "";
    const undone = await run(workspace, ["runs", "undo", id]);
    assert.deepEqual([undone.code, isProcessAlive(leftover), await readTree(workspace)], [0, false, before]);
  });

  it("resumes a run that was killed, with nothing missing and nothing done twice", async () => {
    const workspace = await plant();
    const lines = Array.from({ length: 8 }, (_, at) => `line ${at}\r\n`);
    const steps = lines.map((text) => calling("append_to_file", { filename: "log.txt", text }));
    const given = ["--yes-to", "append_to_file,task_complete"];
    const end = calling("task_complete", { reason: "All lines are there." });
    server().plan(() => steps[countLines(join(workspace, "log.txt"))] ?? end);
    const killed = await run(workspace, [...TASK, ...given], (event, child) => {
      if (event.type === "ended" && event.step === 4) child.kill("SIGKILL");
    });
    const [started] = killed.events;
    const id = started?.type === "started" ? started.id : "";
    const resumed = await run(workspace, [...TASK.slice(2), "--resume", id, ...given]);
    assert.deepEqual(
      [killed.code, resumed.code, await readFile(join(workspace, "log.txt"), "utf8")],
      [null, 0, lines.join("")],
    );
  });
});

/** A line for each step: as it should be, or its outcome. */
function describeOutcomes(events: readonly AgentEvent[], steps: readonly Step[]): readonly string[] {
  return steps.map(({ name, fails = false, says = /(?:)/ }, at) => {
    const ended = events.find((event) => event.type === "ended" && event.step === at + 1);
    const outcome = ended?.type === "ended" ? ended.outcome : undefined;
    const text = outcome && "output" in outcome ? outcome.output : outcome && "error" in outcome ? outcome.error : "";
    const isRight = outcome !== undefined && (outcome.status === "failed") === fails && says.test(text);
    return `${at + 1} ${name}: ${isRight ? "as it should be" : JSON.stringify(outcome)}`;
  });
}

/** The user's files below a folder, by their paths. */
async function readTree(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile() && !entry.parentPath.includes(".autogpt"));
  const read = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    return [relative(folder, path), await readFile(path, "latin1")] as const;
  });
  return Object.fromEntries((await Promise.all(read)).sort());
}

function countLines(file: string): number {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
}
