import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { serverForSuite } from "../../support/fake-model-server.ts";
import { calling } from "../../support/headless.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const server = serverForSuite();
const tempFolder = tempFolders();
const PROGRAM = join(import.meta.dirname, "../../../src/headless.ts");

async function start(...argv: readonly string[]): Promise<ChildProcess> {
  const env = {
    ...process.env,
    XDG_DATA_HOME: await tempFolder(),
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
});

describe("the program, interrupted", () => {
  it("exits with 130, its run in good order and its command gone", async function () {
    if (process.platform === "win32") return this.skip();
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
});
