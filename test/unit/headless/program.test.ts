import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { serverForSuite } from "../../support/fake-model-server.ts";
import { calling } from "../../support/headless.ts";
import { PROGRAM } from "../../support/program.ts";
import { skipWithout } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const server = serverForSuite();
const tempFolder = tempFolders();

async function start(...argv: readonly string[]): Promise<ChildProcess> {
  return startIn(await tempFolder(), ...argv);
}

/** Starts the program with a folder for data of users. */
function startIn(data: string, ...argv: readonly string[]): ChildProcess {
  const env = {
    ...process.env,
    XDG_DATA_HOME: data,
    OPENAI_API_KEY: "a-test-key",
    OPENAI_BASE_URL: server().baseUrl,
  };
  return spawn(process.execPath, [PROGRAM, "--set", "model.contextWindow=16000", ...argv], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function ended(child: ChildProcess): Promise<{ code: number; stdout: string; stderr: string }> {
  const [stdout, stderr, [code]] = await Promise.all([
    child.stdout ? text(child.stdout) : "",
    child.stderr ? text(child.stderr) : "",
    once(child, "exit"),
  ]);
  return { code, stdout, stderr };
}

describe("the program", () => {
  it("exits with 0 when the task is finished, its output nothing but events", async () => {
    server().plan(
      calling("execute_shell", { command_line: "echo out; echo err >&2" }),
      calling("task_complete", { reason: "ok" }),
    );
    const child = await start(
      "--task",
      "t",
      "--workspace",
      await tempFolder(),
      "--model",
      "m",
      "--yes-to",
      "execute_shell,task_complete",
      "--json",
    );
    const { code, stdout } = await ended(child);
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).type);
    assert.deepEqual([code, lines.at(0), lines.at(-1)], [0, "started", "over"]);
  });

  it("exits with 4 and says how it is used when it is used otherwise", async () => {
    const { code, stdout, stderr } = await ended(await start("--task", "t"));
    assert.deepEqual([code, stdout, stderr.includes("Usage: autogpt")], [4, "", true]);
  });

  it("prints how it is used when that is asked for", async () => {
    const { code, stdout } = await ended(await start("--help"));
    assert.deepEqual([code, stdout.startsWith("Usage:")], [0, true]);
  });

  it("keeps what was compiled in a folder of the user alone, and starts without one", async () => {
    skipWithout("files as POSIX has them");
    const data = await tempFolder();
    const first = await ended(startIn(data, "--help"));
    const modes = await Promise.all(
      ["autogpt", "autogpt/compiled"].map(async (name) => (await stat(join(data, name))).mode & 0o777),
    );
    await writeFile(join(data, "file"), "");
    const second = await ended(startIn(join(data, "file"), "--help"));
    assert.deepEqual([first.code, modes, second.code, second.stderr], [0, [0o700, 0o700], 0, ""]);
  });
});

describe("the program, interrupted", () => {
  it("exits with 130, its run in good order and its command gone", async () => {
    skipWithout("files as POSIX has them");
    server().plan(calling("execute_shell", { command_line: "sleep 300.25" }));
    const child = await start(
      "--task",
      "t",
      "--workspace",
      await tempFolder(),
      "--model",
      "m",
      "--yes-to",
      "execute_shell",
      "--json",
    );
    const done = ended(child);
    child.stdout?.on(
      "data",
      (chunk: Buffer) => chunk.includes('"type":"began"') && setTimeout(() => child.kill("SIGINT"), 100),
    );
    const { code, stdout } = await done;
    assert.deepEqual([code, stdout.includes('"reason":"stopped"')], [130, true]);
  });

  it("exits with 130 when the other end of its output is closed, its run in good order", async () => {
    skipWithout("files as POSIX has them");
    server().plan(calling("execute_shell", { command_line: "sleep 300.5" }));
    const workspace = await tempFolder();
    const child = await start(
      ...["--task", "t", "--workspace", workspace, "--model", "m", "--yes-to", "execute_shell", "--json"],
    );
    const exited = once(child, "exit");
    child.stderr?.resume();
    // Its last lines meet the closed pipe.
    child.stdout?.on("data", (chunk: Buffer) => {
      if (!chunk.includes('"type":"began"')) return;
      child.stdout?.destroy();
      child.kill("SIGINT");
    });
    const [code] = await exited;
    const [id = ""] = await readdir(join(workspace, ".autogpt", "runs"));
    const log = await readFile(join(workspace, ".autogpt", "runs", id, "run.jsonl"), "utf8");
    assert.deepEqual(
      { code, isWhole: log.endsWith("\n"), last: JSON.parse(log.trimEnd().split("\n").at(-1) ?? "").type },
      { code: 130, isWhole: true, last: "over" },
    );
  });

  it("prints its last line as a whole to a reader that is late", async () => {
    server().plan(
      ...Array.from({ length: 30 }, () => calling("do_nothing", { reason: "x".repeat(20_000) })),
      calling("task_complete", { reason: "ok" }),
    );
    const child = await start(
      ...["--task", "t", "--workspace", await tempFolder(), "--model", "m", "--json"],
      ...["--yes-to", "do_nothing,task_complete"],
    );
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const { stdout } = await ended(child);
    const last = stdout.trimEnd().split("\n").at(-1) ?? "";
    assert.deepEqual({ isWhole: stdout.endsWith("\n"), type: JSON.parse(last).type }, { isWhole: true, type: "over" });
  });
});
