import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { findWalls } from "../../../src/isolation/walls/find-walls.ts";
import { serverForSuite } from "../../support/fake-model-server.ts";
import { calling, type HeadlessSetting, type ProgramRun, runProgram } from "../../support/headless.ts";
import { PROGRAM } from "../../support/program.ts";
import { makeRepository } from "../../support/repositories.ts";
import { tempFolders } from "../../support/temp-folders.ts";

/** Seconds that no other program sleeps. */
const SLEEP = `9${process.pid}`;
const SOON_MS = 10_000;

const server = serverForSuite();
const tempFolder = tempFolders();

const WRITE = calling("write_to_file", { filename: "note.txt", contents: "new\n" });
const SERVE = calling("start_process", { command_line: `sleep ${SLEEP}` });
/** Doesn't end when it runs for the first time. */
const LINE = calling("execute_shell", {
  command_line: `echo line >> lines.txt; test $(wc -l < lines.txt) = 2 || sleep ${SLEEP}`,
});
const FINISH = calling("task_complete", { reason: "All tidy." });

async function placeOf(): Promise<HeadlessSetting> {
  const [workspace, home] = [await tempFolder(), await tempFolder()];
  makeRepository(workspace, { "note.txt": "old\n" });
  return { baseUrl: server().baseUrl, workspace, data: join(home, "autogpt") };
}

/** Starts a run in a process of its own, and kills it as soon as something is true of the lines that it printed. */
async function killedRun(
  { baseUrl, workspace, data }: HeadlessSetting,
  isTime: (lines: readonly string[]) => boolean,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const args = ["--isolated", "--task", "Tidy.", "--workspace", workspace, "--json"];
  const own = { XDG_DATA_HOME: join(data, ".."), OPENAI_API_KEY: "a-test-key", OPENAI_BASE_URL: baseUrl };
  const model = { AUTOGPT_MODEL_SMART: "fake", AUTOGPT_MODEL_CONTEXT_WINDOW: "16000" };
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { ...process.env, ...own, ...model, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  const exit = once(child, "exit");
  while (child.exitCode === null && !isTime(lines)) await pause(5);
  child.kill("SIGKILL");
  assert.deepEqual(await exit, [null, "SIGKILL"]);
}

/** Resumes the only run, and gives its end, the copies that are there and the review. */
async function resumed(place: HeadlessSetting) {
  const [id = ""] = await copies(place);
  const { code } = await runProgram(place, "--resume", id, "--workspace", place.workspace);
  return { code, sameCopy: (await copies(place)).join() === id, changes: await changesOf(place, id) };
}

async function changesOf(place: HeadlessSetting, id: string): Promise<readonly string[]> {
  const { stdout }: ProgramRun = await runProgram(place, "runs", "changes", id, "--stat");
  return stdout.trimEnd().split("\n").slice(1);
}

const copies = ({ data }: HeadlessSetting) => readdir(join(data, "copies"));

/** Processes of a run that sleep. */
function sleeping(): number {
  const all = execFileSync("ps", ["-Ao", "args"], { encoding: "utf8" }).split("\n");
  return all.filter((line) => line.startsWith(`sleep ${SLEEP}`)).length;
}

async function sleepingSoon(): Promise<number> {
  for (const end = performance.now() + SOON_MS; sleeping() > 0 && performance.now() < end; ) await pause(20);
  return sleeping();
}

describe("an isolated run in a process that is killed", function () {
  this.timeout(120_000);
  before(async function () {
    if ((await findWalls("auto")).engine === "none") this.skip();
  });

  it("while its programs run resumes in the same copy, and none of them survives", async () => {
    const place = await placeOf();
    server().plan(WRITE, SERVE, LINE, LINE, FINISH);
    await killedRun(place, () => sleeping() === 2);
    assert.deepEqual(
      { sleeping: await sleepingSoon(), ...(await resumed(place)) },
      {
        ...{ sleeping: 0, code: 0, sameCopy: true },
        changes: ["  created lines.txt (+2 -0)", "  edited note.txt (+1 -1)"],
      },
    );
  });

  it("between an outcome and the next step resumes in the same copy", async () => {
    const place = await placeOf();
    server().plan(WRITE, FINISH);
    await killedRun(place, (lines) => lines.some((line) => line.includes('"type":"ended"')));
    assert.deepEqual(await resumed(place), {
      ...{ code: 0, sameCopy: true },
      changes: ["  edited note.txt (+1 -1)"],
    });
  });

  it("while its copy is made leaves nothing behind once another one starts", async () => {
    const place = await placeOf();
    const asked = join(place.data, "..", "asked");
    const env = { PATH: `${await slowGit(asked)}${delimiter}${process.env.PATH}` };
    await killedRun(place, () => existsSync(asked), env);
    const [half = "", ...others] = await copies(place);
    server().plan(WRITE, FINISH);
    const { code } = await runProgram(place, "--isolated", "--task", "Tidy.", "--workspace", place.workspace);
    const [id = "", ...more] = await copies(place);
    assert.deepEqual(
      { half: half.replace(/\d.*/, ""), others, code, more, changes: await changesOf(place, id) },
      { half: ".making-", others: [], code: 0, more: [], changes: ["  edited note.txt (+1 -1)"] },
    );
  });
});

/** A folder with a git that creates a file when a copy is made with it, and waits then until its parent has ended. */
async function slowGit(asked: string): Promise<string> {
  const folder = await tempFolder();
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const script = `#!/bin/sh
case " $* " in *" for-each-ref "*) touch "${asked}"; while kill -0 $PPID; do sleep 0.05; done;; esac
exec "${real}" "$@"
`;
  await writeFile(join(folder, "git"), script, { mode: 0o755 });
  return folder;
}
